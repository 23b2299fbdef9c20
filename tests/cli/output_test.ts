import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";
import type { Invocation } from "../../src/cli/command.ts";
import { answer, print, printBytes, printJson, say, wantsJson } from "../../src/cli/output.ts";
import { captured } from "../support/streams.ts";

function asked(...flags: string[]): Invocation {
  return {
    words: [],
    has: (flag) => flags.includes(flag),
    text: () => undefined,
    integer: () => undefined,
    stateDir: ".skein",
  };
}

Deno.test("print() ends a text with one newline, and writes nothing for an empty one", async () => {
  const text = await captured("stdout", () => {
    print("a");
    print("b\n");
    print("");
    printJson({ c: [1] });
  });
  assertEquals(text, 'a\nb\n{"c":[1]}\n');
  assertEquals(await captured("stderr", () => say("talk")), "talk\n");
});

Deno.test("print() goes on after a partial write, and after one that would have blocked", async () => {
  let calls = 0;
  const text = await captured("stdout", () => print("0123456789"), (bytes) => {
    if (++calls % 2 === 0) throw new Deno.errors.WouldBlock();
    return Math.min(3, bytes.length);
  });
  assertEquals(text, "0123456789\n");
});

Deno.test("print() takes a reader that has gone away for no error, and nothing else", async () => {
  await captured("stdout", () => {
    print("lost");
    assertFalse(printBytes(new Uint8Array(3)));
  }, () => {
    throw new Deno.errors.BrokenPipe();
  });
  await captured("stdout", () => {
    assertThrows(() => print("lost"), Error, "disk");
  }, () => {
    throw new Error("disk");
  });
});

Deno.test("wantsJson() follows the flags, and else whether somebody reads on a terminal", () => {
  assert(wantsJson(asked("json")));
  assert(wantsJson(asked("json", "text")));
  assertFalse(wantsJson(asked("text")));
  assertEquals(wantsJson(asked()), !Deno.stdout.isTerminal());
});

Deno.test("answer() makes the text only where it is wanted", async () => {
  const never = () => {
    throw new Error("It must not be asked for");
  };
  assertEquals(await captured("stdout", () => answer(asked("json"), { a: 1 }, never)), '{"a":1}\n');
  assertEquals(
    await captured("stdout", () => answer(asked("text"), { a: 1 }, () => "one")),
    "one\n",
  );
});
