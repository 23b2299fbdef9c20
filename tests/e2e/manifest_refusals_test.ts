import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { exists, manifestOf, Swarm } from "../support/swarm.ts";

/** A manifest whose only task leaves a mark, in lines whose places the tests know. */
function marking(swarm: Swarm, member = '"needs": []', end = ""): string {
  return [
    "{",
    '  "version": 1,',
    `  "blocks": { "mark": { "argv": ["sh", "-c", "echo > '${swarm.path("ran")}'"] } },`,
    '  "tasks": [',
    `    { "id": "a", "block": "mark", ${member} }`,
    "  ]",
    `}${end}`,
  ].join("\n");
}

/** Refused with 1 and every place named, before anything is started or made. */
async function assertRefused(swarm: Swarm, text: string, problems: string[]): Promise<void> {
  const file = swarm.write("swarm.json", text);
  const ways = [
    { name: "swarm.json", stdin: undefined },
    { name: file, stdin: undefined },
    { name: "-", stdin: text },
  ];
  for (const { name, stdin } of ways) {
    const options = stdin === undefined ? {} : { stdin };
    const { code, stdout, stderr } = await swarm.skein(["run", name], options);
    assertEquals([code, stdout], [1, ""], stderr);
    const named = stderr.replace(/^skein: /, "").split("\n").slice(0, problems.length);
    assertEquals(named, problems.map((problem) => `${name}${problem}`));
    assertStringIncludes(stderr, "skein validate");
    assert(!exists(swarm.path("ran")), "no process was started");
    assert(!exists(swarm.state), "no state directory was made");
  }
}

Deno.test("skein run refuses a misspelt key with its place and the one that was meant (G6)", async () => {
  await using swarm = new Swarm();
  await assertRefused(swarm, marking(swarm, '"needz": []'), [
    ':5:35: Unknown key "needz", did you mean "needs"? ($.tasks[0].needz)',
  ]);
});

Deno.test("skein run refuses a repeated key and a second value, both at once (G6)", async () => {
  await using swarm = new Swarm();
  await assertRefused(swarm, marking(swarm, '"needs": [], "needs": []'), [
    ':5:48: Repeated key "needs", first on line 5 ($.tasks[0].needs)',
  ]);
  await assertRefused(swarm, marking(swarm, '"needs": []', "\n{}"), [
    ':8:1: Expected one value and no more, found "{" ($)',
  ]);
  await assertRefused(swarm, marking(swarm, '"needs": [], "needs": []', " 7"), [
    ':5:48: Repeated key "needs", first on line 5 ($.tasks[0].needs)',
    ':7:3: Expected one value and no more, found "7" ($)',
  ]);
});

/** 5,000 tasks in a row, and a circle of four far from each other, with longer ones around it. */
function circular(swarm: Swarm): string {
  const needs = Array.from({ length: 5000 }, (_, i) => i === 0 ? [] : [`t${i - 1}`]);
  needs[77] = ["t4000"];
  needs[3000] = ["t77"];
  needs[4000] = ["t10"];
  needs[10]?.push("t3000");
  const blocks = { mark: { argv: ["sh", "-c", `echo > '${swarm.path("ran")}'`] } };
  const tasks = needs.map((each, i) => ({ id: `t${i}`, block: "mark", needs: each }));
  return JSON.stringify({ version: 1, blocks, tasks });
}

Deno.test("skein run refuses a circle of four among 5,000 tasks: it alone, in order (G6)", async () => {
  await using swarm = new Swarm();
  const text = circular(swarm);
  const column = text.lastIndexOf('["t10"]') + 2;
  const circle = '"t10" → "t3000" → "t77" → "t4000" → "t10"';
  await assertRefused(swarm, text, [
    `:1:${column}: Tasks need each other in a circle: ${circle} ($.tasks[4000].needs[0])`,
  ]);
  const { diagnostics } = await swarm.json("validate", "swarm.json") as { diagnostics: unknown[] };
  assertEquals(diagnostics.length, 1);
});

Deno.test("skein graph draws a circle, marks it and names it", async () => {
  await using swarm = new Swarm();
  const drafts = { a: { needs: ["c"] }, b: { needs: ["a"] }, c: { needs: ["b"] }, d: {} };
  swarm.manifest({ ...drafts, e: { needs: ["d", "a"] } });
  const mermaid = await swarm.skein(["graph", "swarm.json"]);
  assertEquals(mermaid.code, 0);
  assertEquals(mermaid.stdout.match(/:::cycle/g)?.length, 3);
  assertStringIncludes(mermaid.stderr, "Tasks need each other in a circle");
  const dot = await swarm.skein(["graph", "swarm.json", "--format", "dot"]);
  assertEquals([dot.code, dot.stdout.match(/ -> .*color/g)?.length], [0, 3]);
  const { nodes, cycle } = JSON.parse(
    (await swarm.skein(["graph", "swarm.json", "--format", "json"])).stdout,
  );
  assertEquals([nodes.length, [...cycle].sort()], [5, ["a", "b", "c"]]);
});

Deno.test("skein graph draws a manifest from standard input, and needs something that it can draw", async () => {
  await using swarm = new Swarm();
  const text = JSON.stringify(manifestOf({ a: {}, b: { needs: ["a"] } }));
  const drawn = await swarm.skein(["graph", "-"], { stdin: text });
  assertEquals([drawn.code, drawn.stderr], [0, ""]);
  assertStringIncludes(drawn.stdout, "t0 --> t1");
  const broken = await swarm.skein(["graph", "-"], { stdin: "{" });
  assertEquals([broken.code, broken.stdout], [1, ""]);
  assert(!exists(swarm.state));
});

Deno.test("skein validate prints a summary, or every problem, and makes nothing", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: {}, b: { needs: ["a"] } });
  const good = await swarm.skein(["validate", "swarm.json"]);
  assertEquals([good.code, good.stderr], [0, ""]);
  const summary = { valid: true, name: "test", workers: 0, tasks: 2, blocks: 2, needs: 1 };
  assertEquals(JSON.parse(good.stdout), summary);
  const text = await swarm.skein(["validate", "swarm.json", "--text"]);
  assertEquals(text.stdout, "Valid: 2 tasks, 2 blocks, 1 need\n");
  swarm.manifest({ a: { needs: ["b"] }, b: { stdin: 5, passes: -1 } });
  const bad = await swarm.skein(["validate", "swarm.json"]);
  assertEquals(bad.code, 1);
  const { valid, diagnostics } = JSON.parse(bad.stdout);
  assertEquals([valid, diagnostics.length], [false, 2]);
  for (const { line, column, path, message } of diagnostics) {
    assertStringIncludes(bad.stderr, `swarm.json:${line}:${column}: ${message} (${path})`);
  }
  const none = await swarm.skein(["validate", "missing.json"]);
  assertEquals([none.code, none.stdout], [1, ""]);
  assert(!exists(swarm.state));
});

Deno.test("skein schema prints the JSON Schema of a manifest", async () => {
  await using swarm = new Swarm();
  const { code, stdout, stderr } = await swarm.skein(["schema"]);
  assertEquals([code, stderr], [0, ""]);
  const { properties, additionalProperties, required } = JSON.parse(stdout);
  assertEquals([additionalProperties, [...required].sort()], [false, [
    "blocks",
    "tasks",
    "version",
  ]]);
  assert("$schema" in properties && "inheritEnv" in properties);
});

Deno.test("skein run takes a manifest from standard input, its paths from the caller's folder", async () => {
  await using swarm = new Swarm();
  swarm.write("input.txt", "here\n");
  const text = JSON.stringify(manifestOf({ a: { sh: "cat; pwd", stdinFile: "input.txt" } }));
  const { code, stderr } = await swarm.skein(["run", "-"], { stdin: text });
  assertEquals(code, 0, stderr);
  assertEquals(swarm.read("output", "a"), `here\n${swarm.folder}\n`);
});

Deno.test("skein run finds paths from the manifest's folder, wherever the caller is", async () => {
  await using swarm = new Swarm();
  Deno.mkdirSync(swarm.path("below", "inner"), { recursive: true });
  swarm.write("below/input.txt", "there\n");
  const inner = { cwd: "inner" };
  const drafts = { a: { sh: "cat; pwd", stdinFile: "input.txt", block: inner } };
  const manifest = JSON.stringify(manifestOf(drafts));
  swarm.write("below/swarm.jsonc", `// With a comment.\n${manifest}`);
  const { code, stderr } = await swarm.skein(["run", "below/swarm.jsonc"]);
  assertEquals(code, 0, stderr);
  assertEquals(swarm.read("output", "a"), `there\n${swarm.path("below", "inner")}\n`);
});
