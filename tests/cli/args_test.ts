import {
  assert,
  assertEquals,
  assertFalse,
  assertInstanceOf,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import fc from "fast-check";
import { parse, parsePlain, readArgs } from "../../src/cli/args.ts";
import { type Command, commonFlagsOf, type Invocation } from "../../src/cli/command.ts";
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
    rank: { type: "integer", summary: "Nothing", range: [-5, 5] },
    shape: { type: "text", choices: ["round", "square"], summary: "Nothing" },
  },
  examples: [],
  exits: [0],
  run: () => 0,
};

function read(...args: string[]): Promise<Invocation> {
  return readArgs(COMMAND, args);
}

/** Refused, with a message that names the problem and where there is more. */
async function refused(...args: string[]): Promise<string> {
  const error = await assertRejects(() => read(...args));
  assertInstanceOf(error, UsageError);
  assertEquals(error.next, "See `skein help test`");
  return error.message;
}

Deno.test("readArgs() tells words and flags apart, wherever they stand", async () => {
  for (
    const args of [
      ["a", "--force", "--reason", "why not", "--count", "3", "b"],
      ["--count=3", "--reason=why not", "a", "b", "--force"],
    ]
  ) {
    const invocation = await read(...args);
    assertEquals(invocation.words, ["a", "b"]);
    assertEquals([invocation.has("force"), invocation.has("no-wait")], [true, false]);
    assertEquals(invocation.text("reason"), "why not");
    assertEquals([invocation.integer("count"), invocation.integer("size")], [3, undefined]);
    assertEquals(invocation.text("state"), undefined);
  }
});

Deno.test("readArgs() keeps words that look like numbers, and a lone dash", async () => {
  assertEquals((await read("007", "1e3")).words, ["007", "1e3"]);
  assertEquals((await read("-")).words, ["-"]);
  assertEquals((await read("--reason", "5", "a")).text("reason"), "5");
});

Deno.test("readArgs() takes everything after -- for words", async () => {
  assertEquals((await read("--force", "--", "--reason", "-x")).words, ["--reason", "-x"]);
  assertFalse((await read("a", "--", "--force")).has("force"));
  assertEquals(await refused("a", "--", "b", "c"), 'Word "c" is one too many');
});

Deno.test("readArgs() refuses a flag that it does not know, and says which was meant", async () => {
  assertEquals(await refused("a", "--forc"), 'Flag "--forc" is unknown, did you mean "--force"?');
  assertEquals(
    await refused("a", "--raeson=x"),
    'Flag "--raeson" is unknown, did you mean "--reason"?',
  );
  assertEquals(await refused("a", "--jsn"), 'Flag "--jsn" is unknown, did you mean "--json"?');
  assertEquals(await refused("a", "-x"), 'Flag "-x" is unknown');
  assertEquals(await refused("a", "--no-force"), 'Flag "--no-force" is unknown');
  assertEquals(await refused("a", "--__proto__"), 'Flag "--__proto__" is unknown');
  assertStringIncludes(await refused("--reason-text=a"), 'did you mean "--reason"?');
});

Deno.test("readArgs() refuses a repeated flag that takes a value", async () => {
  assertEquals(await refused("a", "--reason", "x", "--reason=y"), 'Flag "--reason" stands 2 times');
  assertEquals(await refused("a", "--count=1", "--count=1"), 'Flag "--count" stands 2 times');
  assert((await read("a", "--force", "--force")).has("force"));
});

Deno.test("readArgs() refuses a missing value, and a value for a flag that takes none", async () => {
  for (const args of [["a", "--reason"], ["a", "--reason="], ["a", "--reason", "--force"]]) {
    assertEquals(await refused(...args), 'Flag "--reason" needs a value');
  }
  for (const value of ["false", "true", "0", "maybe", ""]) {
    assertEquals(await refused("a", `--force=${value}`), 'Flag "--force" takes no value');
  }
});

Deno.test("readArgs() refuses a word that the parser would take for a flag's value", async () => {
  for (const value of ["false", "true"]) {
    for (const flag of ["force", "no-wait", "json"]) {
      assertEquals(await refused("a", `--${flag}`, value), `Flag "--${flag}" takes no value`);
    }
    assertEquals((await read("--reason", value, "--force", "--", value)).words, [value]);
    assertEquals((await read("--force", "a", value)).words, ["a", value]);
    assert((await read(value, "--force")).has("force"));
  }
});

Deno.test("readArgs() takes whole numbers inside their range, and nothing else", async () => {
  assertEquals([
    (await read("a", "--count", "1")).integer("count"),
    (await read("a", "--count", "10"))
      .integer("count"),
  ], [1, 10]);
  assertEquals((await read("a", "--size", "9007199254740991")).integer("size"), 9007199254740991);
  for (
    const text of ["0", "11", "1.5", "1e1", "0x1", "ten", " 1", "1 ", "+1", "99999999999999999"]
  ) {
    const invocation = await read("a", "--count", text);
    const { message } = assertThrows(() => invocation.integer("count"), UsageError);
    assertEquals(
      message,
      `Flag "--count" must be a whole number from 1 to 10, not "${text}"`,
    );
  }
  const negative = await read("a", "--size=-1");
  assertStringIncludes(
    assertThrows(() => negative.integer("size"), UsageError).message,
    'from 0 to 9007199254740991, not "-1"',
  );
});

Deno.test("readArgs() takes a negative number where the range has it", async () => {
  assertEquals((await read("a", "--rank=-5")).integer("rank"), -5);
  for (const text of ["-6", "--5", "-", "-1.5"]) {
    await assertRejects(
      async () => (await read("a", `--rank=${text}`)).integer("rank"),
      UsageError,
    );
  }
});

Deno.test("readArgs() takes a negative number that follows the flag, and no other such word", async () => {
  assertEquals((await read("a", "--rank", "-5")).integer("rank"), -5);
  for (const [flag, text] of [["count", "-1"], ["rank", "-6"], ["rank", "-1.5"]] as const) {
    const invocation = await read(`--${flag}`, text, "a");
    const { message } = assertThrows(() => invocation.integer(flag), UsageError);
    assertStringIncludes(message, `not "${text}"`);
  }
  for (const args of [["a", "-5"], ["--rank=1", "-5"], ["--reason", "-5"], ["--force", "-5"]]) {
    await assertRejects(() => read(...args), UsageError);
  }
  assertEquals((await read("--rank", "1", "--", "--rank", "-5")).words, ["--rank", "-5"]);
});

Deno.test("readArgs() takes one of the choices of a flag, and lists them where it is none", async () => {
  assertEquals((await read("a", "--shape", "square")).text("shape"), "square");
  const message = 'Flag "--shape" must be one of round, square, not';
  assertEquals(await refused("a", "--shape", "oval"), `${message} "oval"`);
  assertEquals(
    await refused("a", "--shape=squre"),
    `${message} "squre", did you mean "square"?`,
  );
});

Deno.test("readArgs() refuses to answer in both forms, or in one that the command has not", async () => {
  assertEquals(
    await refused("a", "--json", "--text"),
    'Flags "--json" and "--text" exclude each other',
  );
  for (const [name, other, form] of [["status", "text", "JSON"], ["logs", "json", "text"]]) {
    const act = () => readArgs({ ...COMMAND, name: name ?? "" }, ["a", `--${other}`]);
    assertEquals(
      (await assertRejects(act, UsageError)).message,
      `Command "${name}" always answers in ${form}, not with "--${other}"`,
    );
  }
  assert((await readArgs({ ...COMMAND, name: "status" }, ["a", "--json"])).has("json"));
});

Deno.test("readArgs() asks for the environment only where a command has a state directory, and asks for it", async () => {
  const original = Deno.env.get;
  let asked = 0;
  Deno.env.get = (name) => {
    asked++;
    return original(name);
  };
  try {
    assertEquals((await readArgs({ ...COMMAND, name: "version" }, ["a"])).stateDir, ".skein");
    const invocation = await read("a");
    assertEquals(asked, 0);
    const { stateDir } = invocation;
    assert(asked > 0);
    const once = asked;
    assertEquals([invocation.stateDir, asked], [stateDir, once]);
  } finally {
    Deno.env.get = original;
  }
});

Deno.test("readArgs() counts the words, but not where help is asked for", async () => {
  assertEquals(await refused(), 'Command "test" needs <file> [other]');
  assertEquals(await refused("a", "b", "c", "d"), 'Word "c" is one too many');
  for (const flag of ["--help", "-h"]) assert((await read(flag)).has("help"));
});

Deno.test("readArgs() finds the state directory: the flag, SKEIN_STATE, the task's own, the default", async () => {
  const names = ["SKEIN_STATE", "SKEIN_STATE_DIR"];
  const before = names.map((name) => Deno.env.get(name));
  try {
    for (const name of names) Deno.env.delete(name);
    assertEquals((await read("a")).stateDir, ".skein");
    Deno.env.set("SKEIN_STATE_DIR", "/of/the/task");
    assertEquals((await read("a")).stateDir, "/of/the/task");
    Deno.env.set("SKEIN_STATE", "chosen");
    assertEquals((await read("a")).stateDir, "chosen");
    assertEquals((await read("a", "--state", "said")).stateDir, "said");
    Deno.env.set("SKEIN_STATE", "");
    assertEquals((await read("a")).stateDir, "/of/the/task");
  } finally {
    names.forEach((name, index) => {
      const value = before[index];
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    });
  }
});

Deno.test("parsePlain() takes a command line as the parser does, or leaves it to the parser", async () => {
  const flags = { ...commonFlagsOf(COMMAND), ...COMMAND.flags };
  const names = [...Object.keys(flags), "unknown", "constructor", "h", ""];
  const loose = ["", "a", "true", "false", "-1", "7", "--", "-", "-h", "-x", "---", "a=b", "b c"];
  const word = fc.oneof(
    fc.constantFrom(...loose),
    fc.constantFrom(...names).map((name) => `--${name}`),
    fc.tuple(fc.constantFrom(...names), fc.constantFrom(...loose)).map(([name, value]) =>
      `--${name}=${value}`
    ),
  );
  const seen = { plain: 0, flagged: 0, left: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 6 }), async (args) => {
      const plain = parsePlain(flags, args);
      if (plain === null) return void seen.left++;
      seen.plain++;
      const parsed = await parse(COMMAND, flags, args);
      assertEquals([plain._, plain["--"]], [parsed._.map(String), parsed["--"] ?? []]);
      for (const [name, { type }] of Object.entries(flags)) {
        const none = type === "boolean" ? false : [];
        assertEquals(plain[name] ?? none, parsed[name] ?? none, name);
        if (plain[name] !== undefined) seen.flagged++;
      }
    }),
    { numRuns: 3000 },
  );
  assert(Math.min(...Object.values(seen)) > 100, JSON.stringify(seen));
});
