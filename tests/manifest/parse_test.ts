import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Decoded, formatDiagnostic, parseManifest } from "../../src/manifest/mod.ts";

const BLOCKS = { b: { argv: ["true"] } };

function textOf(tasks: readonly unknown[], more: Record<string, unknown> = {}): string {
  return JSON.stringify({ version: 1, blocks: BLOCKS, ...more, tasks });
}

function listing(decoded: Decoded, file = "m.json"): string[] {
  return decoded.ok ? [] : decoded.diagnostics.map((each) => formatDiagnostic(file, each));
}

async function problems(text: string, file = "m.json"): Promise<string[]> {
  return listing(await parseManifest(text, { file, folder: "/base" }), file);
}

Deno.test('parseManifest() refuses "needz" with its place and the key that was meant', async () => {
  const text = '{\n  "version": 1,\n  "blocks": { "b": { "argv": ["true"] } },\n' +
    '  "tasks": [{ "id": "a", "block": "b", "needz": [] }]\n}\n';
  assertEquals(await problems(text), [
    'm.json:4:40: Unknown key "needz", did you mean "needs"? ($.tasks[0].needz)',
  ]);
});

Deno.test("parseManifest() refuses a repeated key with its place and the line of the first", async () => {
  const text = '{\n  "version": 1,\n  "blocks": { "b": { "argv": ["true"] } },\n' +
    '  "tasks": [{ "id": "a", "block": "b" }],\n  "version": 1\n}\n';
  assertEquals(await problems(text), [
    'm.json:5:3: Repeated key "version", first on line 2 ($.version)',
  ]);
});

Deno.test("parseManifest() refuses a repeated task id with the line of the first", async () => {
  const text = '{ "version": 1, "blocks": { "b": { "argv": ["true"] } }, "tasks": [\n' +
    '{ "id": "a", "block": "b" },\n{ "id": "a", "block": "b" }] }';
  assertEquals(await problems(text), [
    'm.json:3:9: Repeated task id "a", first on line 2 ($.tasks[1].id)',
  ]);
});

Deno.test("parseManifest() names what is there and what is needed", async () => {
  const found = await problems(
    textOf([{ id: "a", block: "x", passes: 0, args: ["a\0"], stdin: "i", stdinFile: "f" }], {
      version: 2,
      workers: 1.5,
      inheritEnv: "PATH",
      env: ["NAME"],
    }),
  );
  assertEquals(
    found.map((line) => line.replace(/^m\.json:\d+:\d+: /, "")),
    [
      "Expected 1, found 2 ($.version)",
      'Unknown block "x" ($.tasks[0].block)',
      "Expected a whole number from 1 to 1000000, found 0 ($.tasks[0].passes)",
      'Expected text without NUL characters, found "a\\u0000" ($.tasks[0].args[0])',
      'Expected at most one input, found "stdin" and "stdinFile" ($.tasks[0].stdinFile)',
      "Expected a whole number from 0 to 65536, found 1.5 ($.workers)",
      'Expected true or a list, found "PATH" ($.inheritEnv)',
      'Expected an entry NAME=value with a name that is not empty, found "NAME" ($.env[0])',
    ].toSorted((a, b) => order(found, a) - order(found, b)),
  );
});

function order(lines: readonly string[], message: string): number {
  return lines.findIndex((line) => line.endsWith(message));
}

Deno.test("parseManifest() suggests near names of keys, blocks, needs and inputs", async () => {
  const found = await problems(textOf([
    { id: "gather", block: "reviev" },
    { id: "b", block: "review", needs: ["gahter"] },
    { id: "c", block: "review", needs: ["gather"], stdinFrom: "Gather" },
    { id: "d", block: "nothing-like-it" },
  ], { blocks: { review: { argv: ["x"], timeoutMS: 1 } } }));
  assertEquals(found.map((line) => /did you mean "(.*)"\?/.exec(line)?.[1]), [
    "timeoutMs",
    "review",
    "gather",
    "gather",
    undefined,
  ]);
});

Deno.test("parseManifest() says which key is meant by the names that others have, and where it belongs", async () => {
  const block = { argv: ["x"], cmd: [], dependsOn: [], needs: [], cdw: "." };
  const task = { id: "a", block: "b", depends_on: [], deps: [], command: "x", argv: ["x"] };
  const found = await problems(textOf([task], { blocks: { b: block }, command: [], toString: 1 }));
  assertEquals(
    found.map((line) => /Unknown key (.*?)(?: \(|$)/.exec(line)?.[1]).toSorted(),
    [
      '"argv", did you mean "argv" of a block?',
      '"cdw", did you mean "cwd"?',
      '"cmd", did you mean "argv"?',
      '"command", did you mean "argv" of a block?',
      '"command", did you mean "argv" of a block?',
      '"dependsOn", did you mean "needs" of a task?',
      '"depends_on", did you mean "needs"?',
      '"deps", did you mean "needs"?',
      '"needs", did you mean "needs" of a task?',
      '"toString"',
    ],
  );
});

Deno.test("parseManifest() reports a cycle of 4 among 5,000 tasks alone, in order, where it closes", async () => {
  const tasks = Array.from({ length: 5_000 }, (_, index) => ({
    id: `t${index}`,
    block: "b",
    needs: index === 0 ? [] : [`t${index - 1}`, ...(index > 9 ? [`t${index - 7}`] : [])]
      .filter((need, at, all) => all.indexOf(need) === at),
  }));
  const circle = [["a", "b"], ["b", "c"], ["c", "d"], ["d", "a"]];
  circle.forEach(([id = "", need = ""], at) => {
    tasks.splice(1_000 * (at + 1), 0, { id, block: "b", needs: ["t5", need] });
  });
  const found = await problems(textOf(tasks));
  assertEquals(found.length, 1);
  const [line = ""] = found;
  const closing = tasks.findIndex(({ id }) => id === "d");
  assertStringIncludes(
    line,
    'Tasks need each other in a circle: "a" → "b" → "c" → "d" → "a" ' +
      `($.tasks[${closing}].needs[1])`,
  );
});

Deno.test("parseManifest() reports syntax errors of every kind with what was expected", async () => {
  const cases: [string, string][] = [
    ["", "1:1: Expected a value, found the end of the document ($)"],
    ["{'a': 1}", `1:2: Expected double quotes, found "'a'" ($)`],
    ["{a: 1}", '1:2: Expected a key in double quotes, found "a" ($)'],
    ['{"a" 1}', '1:6: Expected ":" after the key, found "1" ($)'],
    ['{"a": NaN}', '1:7: Expected a value, found "NaN" ($)'],
    ['{"a": 1 x}', '1:9: Expected "," or "}", found "x" ($)'],
    ["[1 x]", '1:4: Expected "," or "]", found "x" ($)'],
    ["[1 2]", '1:4: Expected "," between the entries, found "2" ($)'],
    ["[1.]", '1:2: Expected a whole number or a decimal, found "1." ($)'],
    [
      '{"a": {\n"b": 1',
      '2:7: Expected "}" for the "{" of line 1, found the end of the document ($.a)',
    ],
    ["{,}", '1:2: Expected a key in double quotes, found "," ($)'],
  ];
  for (const [text, expected] of cases) {
    assertEquals((await problems(text))[0], `m.json:${expected}`, text);
  }
});

Deno.test("parseManifest() refuses a second value and checks the first", async () => {
  const found = await problems(`${textOf([{ id: "a", block: "b", needz: [] }])}\n{}`);
  assertEquals(found.length, 2);
  assertStringIncludes(found[0] ?? "", 'did you mean "needs"?');
  assertEquals(found[1], 'm.json:2:1: Expected one value and no more, found "{" ($)');
});

Deno.test("parseManifest() refuses 100,000 levels with a place, whatever hides them", async () => {
  const deep = "[".repeat(100_000);
  for (const text of [deep, `{"a": "x\n${deep}`, `/* " */ ${deep}`, `{"a":`.repeat(100_000)]) {
    const decoded = await parseManifest(text, { folder: "/base" });
    assert(!decoded.ok);
    assertEquals(decoded.diagnostics.map(({ code }) => code), ["too-deep"]);
  }
});

Deno.test("parseManifest() takes comments and trailing commas where they are allowed only", async () => {
  const text = `// one\n${textOf([{ id: "a", block: "b" }]).replace(/\]\}$/, "/* two */ ,]}")}`;
  assert((await parseManifest(text, { folder: "/base", comments: true })).ok);
  assert((await parseManifest(text, { folder: "/base", file: "m.jsonc" })).ok);
  assertEquals((await problems(text)).map((line) => line.split(": ")[1]), [
    "Expected no comment",
    "Expected no comment",
    "Expected no comma after the last entry ($.tasks)",
  ]);
});

Deno.test("parseManifest() refuses in a text with comments what it refuses in one without", async () => {
  const text =
    '// "\n{"version": 1, "blocks": {"b": {"argv": ["x"]}}, "tasks": [{"id": "a", "block": "b", "__proto__": {}, "id": "b"}]}';
  assertEquals(await problems(text, "m.jsonc"), [
    'm.jsonc:2:86: Unknown key "__proto__" ($.tasks[0].__proto__)',
    'm.jsonc:2:103: Repeated key "id", first on line 2 ($.tasks[0].id)',
  ]);
});

Deno.test("parseManifest() counts columns after a byte order mark and in lines of every ending", async () => {
  for (const text of ['\uFEFF{"a": 1}', '\r\n\r{\n"a": 1}']) {
    const decoded = await parseManifest(text, { folder: "/base" });
    assert(!decoded.ok);
    const unknown = decoded.diagnostics.find(({ code }) => code === "unknown-key");
    assertEquals([unknown?.line, unknown?.column], text.startsWith("\r") ? [4, 1] : [1, 2]);
  }
});

Deno.test("parseManifest() takes a replacement character that is one and refuses a wrong byte after it", async () => {
  const text = textOf([{ id: "\uFFFD", block: "b" }]);
  const bytes = new TextEncoder().encode(`${text}\n`);
  assert((await parseManifest(bytes, { folder: "/base" })).ok);
  for (const wrong of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82]]) {
    const decoded = await parseManifest(new Uint8Array([...bytes, ...wrong]), { folder: "/base" });
    assert(!decoded.ok);
    const [{ code, line, column } = { code: "", line: 0, column: 0 }] = decoded.diagnostics;
    assertEquals([code, line, column], ["not-utf8", 2, 1]);
  }
});

Deno.test("parseManifest() keeps blocks and tasks named like members of a prototype", async () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  const entries = names.map((name) =>
    `${JSON.stringify(name)}: {"argv": [${JSON.stringify(name)}]}`
  );
  const tasks = names.map((id, index) => ({ id, block: id, needs: names.slice(0, index) }));
  const text = `{"version": 1, "blocks": {${entries}}, "tasks": ${JSON.stringify(tasks)}}`;
  const decoded = await parseManifest(text, { folder: "/base" });
  assert(decoded.ok);
  assertEquals(Object.keys(decoded.manifest.blocks), names);
  for (const name of names) assertEquals(decoded.manifest.blocks[name]?.argv, [name]);
  assertEquals(decoded.manifest.blocks["valueOf"], undefined);
  assertEquals(decoded.manifest.tasks.map(({ id }) => id), names);
});

Deno.test("parseManifest() decodes 100,000 tasks with 5 needs each", async () => {
  const tasks = Array.from({ length: 100_000 }, (_, index) => ({
    id: `task-${index}`,
    block: "b",
    needs: Array.from({ length: Math.min(5, index) }, (_, back) => `task-${index - 1 - back}`),
  }));
  const decoded = await parseManifest(textOf(tasks), { folder: "/base" });
  assert(decoded.ok);
  assertEquals(decoded.manifest.tasks.length, 100_000);
  assertEquals(decoded.manifest.tasks.at(-1)?.needs.length, 5);
});

Deno.test("parseManifest() explains 20,000 problems of one document", async () => {
  const tasks = Array.from({ length: 10_000 }, (_, at) => ({ id: `t${at}`, block: "c", zz: 1 }));
  assertEquals((await problems(textOf(tasks))).length, 20_000);
});
