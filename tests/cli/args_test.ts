import {
  assert,
  assertEquals,
  assertFalse,
  assertInstanceOf,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { readArgs } from "../../src/cli/args.ts";
import type { Command, Invocation } from "../../src/cli/command.ts";
import { UsageError } from "../../src/cli/usage_error.ts";

const COMMAND: Command = {
  name: "test",
  summary: "A command",
  usage: "<file> [other]",
  words: [1, 2],
  description: "It does nothing.",
  flags: {
    force: { type: "boolean", summary: "Nothing" },
    "no-wait": { type: "boolean", summary: "Nothing" },
    reason: { type: "text", value: "TEXT", summary: "Nothing" },
    count: { type: "integer", summary: "Nothing", range: [1, 10] },
    size: { type: "integer", summary: "Nothing" },
  },
  examples: [],
  exits: [0],
  run: () => 0,
};

function read(...args: string[]): Invocation {
  return readArgs(COMMAND, args);
}

/** Refused, with a message that names the problem and where there is more. */
function refused(...args: string[]): string {
  const error = assertThrows(() => read(...args));
  assertInstanceOf(error, UsageError);
  assertEquals(error.next, "See `skein help test`");
  return error.message;
}

Deno.test("readArgs() tells words and flags apart, wherever they stand", () => {
  for (
    const args of [
      ["a", "--force", "--reason", "why not", "--count", "3", "b"],
      ["--count=3", "--reason=why not", "a", "b", "--force"],
    ]
  ) {
    const invocation = read(...args);
    assertEquals(invocation.words, ["a", "b"]);
    assertEquals([invocation.has("force"), invocation.has("no-wait")], [true, false]);
    assertEquals(invocation.text("reason"), "why not");
    assertEquals([invocation.integer("count"), invocation.integer("size")], [3, undefined]);
    assertEquals(invocation.text("state"), undefined);
  }
});

Deno.test("readArgs() keeps words that look like numbers, and a lone dash", () => {
  assertEquals(read("007", "1e3").words, ["007", "1e3"]);
  assertEquals(read("-").words, ["-"]);
  assertEquals(read("--reason", "5", "a").text("reason"), "5");
});

Deno.test("readArgs() takes everything after -- for words", () => {
  assertEquals(read("--force", "--", "--reason", "-x").words, ["--reason", "-x"]);
  assertFalse(read("a", "--", "--force").has("force"));
  assertEquals(refused("a", "--", "b", "c"), 'Word "c" is one too many');
});

Deno.test("readArgs() refuses a flag that it does not know, and says which was meant", () => {
  assertEquals(refused("a", "--forc"), 'Flag "--forc" is unknown, did you mean "--force"?');
  assertEquals(refused("a", "--raeson=x"), 'Flag "--raeson" is unknown, did you mean "--reason"?');
  assertEquals(refused("a", "--jsn"), 'Flag "--jsn" is unknown, did you mean "--json"?');
  assertEquals(refused("a", "-x"), 'Flag "-x" is unknown');
  assertEquals(refused("a", "--no-force"), 'Flag "--no-force" is unknown');
  assertEquals(refused("a", "--__proto__"), 'Flag "--__proto__" is unknown');
});

Deno.test("readArgs() refuses a repeated flag that takes a value", () => {
  assertEquals(refused("a", "--reason", "x", "--reason=y"), 'Flag "--reason" stands 2 times');
  assertEquals(refused("a", "--count=1", "--count=1"), 'Flag "--count" stands 2 times');
  assert(read("a", "--force", "--force").has("force"));
});

Deno.test("readArgs() refuses a missing value, and a value for a flag that takes none", () => {
  for (const args of [["a", "--reason"], ["a", "--reason="], ["a", "--reason", "--force"]]) {
    assertEquals(refused(...args), 'Flag "--reason" needs a value');
  }
  for (const value of ["false", "true", "0", "maybe", ""]) {
    assertEquals(refused("a", `--force=${value}`), 'Flag "--force" takes no value');
  }
});

Deno.test("readArgs() refuses a word that the parser would take for a flag's value", () => {
  for (const value of ["false", "true"]) {
    for (const flag of ["force", "no-wait", "json"]) {
      assertEquals(refused("a", `--${flag}`, value), `Flag "--${flag}" takes no value`);
    }
    assertEquals(read("--reason", value, "--force", "--", value).words, [value]);
    assertEquals(read("--force", "a", value).words, ["a", value]);
    assert(read(value, "--force").has("force"));
  }
});

Deno.test("readArgs() takes whole numbers inside their range, and nothing else", () => {
  assertEquals([
    read("a", "--count", "1").integer("count"),
    read("a", "--count", "10")
      .integer("count"),
  ], [1, 10]);
  assertEquals(read("a", "--size", "9007199254740991").integer("size"), 9007199254740991);
  for (
    const text of ["0", "11", "1.5", "1e1", "0x1", "ten", " 1", "1 ", "+1", "99999999999999999"]
  ) {
    const invocation = read("a", "--count", text);
    const { message } = assertThrows(() => invocation.integer("count"), UsageError);
    assertEquals(
      message,
      `Flag "--count" must be a whole number from 1 to 10, not "${text}"`,
    );
  }
  const negative = read("a", "--size=-1");
  assertStringIncludes(
    assertThrows(() => negative.integer("size"), UsageError).message,
    'from 0 to 9007199254740991, not "-1"',
  );
});

Deno.test("readArgs() counts the words, but not where help is asked for", () => {
  assertEquals(refused(), 'Command "test" needs <file> [other]');
  assertEquals(refused("a", "b", "c", "d"), 'Word "c" is one too many');
  for (const flag of ["--help", "-h"]) assert(read(flag).has("help"));
});

Deno.test("readArgs() finds the state directory: the flag, SKEIN_STATE, the task's own, the default", () => {
  const names = ["SKEIN_STATE", "SKEIN_STATE_DIR"];
  const before = names.map((name) => Deno.env.get(name));
  try {
    for (const name of names) Deno.env.delete(name);
    assertEquals(read("a").stateDir, ".skein");
    Deno.env.set("SKEIN_STATE_DIR", "/of/the/task");
    assertEquals(read("a").stateDir, "/of/the/task");
    Deno.env.set("SKEIN_STATE", "chosen");
    assertEquals(read("a").stateDir, "chosen");
    assertEquals(read("a", "--state", "said").stateDir, "said");
    Deno.env.set("SKEIN_STATE", "");
    assertEquals(read("a").stateDir, "/of/the/task");
  } finally {
    names.forEach((name, index) => {
      const value = before[index];
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    });
  }
});
