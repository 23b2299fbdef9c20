import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { TARGETS } from "../../tools/compile/targets.ts";
import { needing, succeeds } from "../support/capability.ts";
import { ROOT } from "../support/cli.ts";
import {
  before,
  danglingNeeds,
  injectable,
  runnersOf,
  scriptsOf,
  tasksOf,
  unbounded,
  unpinned,
  workflowOf,
} from "./workflow.ts";

const read = (path: string) => Deno.readTextFileSync(join(ROOT, path));
const CI = workflowOf(".github/workflows/ci.yml", read(".github/workflows/ci.yml"));
const RELEASE = workflowOf(".github/workflows/release.yml", read(".github/workflows/release.yml"));
const BOTH = [CI, RELEASE];

/** The machine that each binary is for. */
const NATIVE: Readonly<Record<string, RegExp>> = {
  "x86_64-unknown-linux-gnu": /^ubuntu-[\d.]+$/,
  "aarch64-unknown-linux-gnu": /^ubuntu-[\d.]+-arm$/,
  "x86_64-apple-darwin": /^macos-\d+-intel$/,
  "aarch64-apple-darwin": /^macos-\d+$/,
  "x86_64-pc-windows-msvc": /^windows-20\d+$/,
  "aarch64-pc-windows-msvc": /^windows-\d+-arm$/,
};

Deno.test("workflows: every action is pinned by its full commit, with its version", () => {
  assertEquals(unpinned(BOTH), []);
});

Deno.test("workflows: every job says what it may do, ends, and runs on a machine of a stated version", () => {
  assertEquals(BOTH.flatMap(unbounded), []);
});

Deno.test("workflows: no job may do more than it needs", () => {
  const granted = (workflow: typeof CI) =>
    Object.fromEntries(
      Object.entries(workflow.document.jobs).map(([name, { permissions }]) => [name, permissions]),
    );
  assertEquals(granted(CI), {
    native: { contents: "read" },
    "cross-compile": { contents: "read" },
    simulation: { contents: "read" },
    workflows: { contents: "read" },
  });
  assertEquals(granted(RELEASE), {
    check: { contents: "read" },
    build: { contents: "read" },
    attest: { contents: "read", "id-token": "write", attestations: "write" },
    release: { contents: "write" },
    jsr: { contents: "read", "id-token": "write" },
  });
});

Deno.test("workflows: a release needs the gates, every binary with its proofs, and the attestation", () => {
  assertEquals(BOTH.flatMap(danglingNeeds), []);
  assertEquals(before(RELEASE, "release"), ["attest", "build", "check"]);
  assertEquals(before(RELEASE, "jsr"), ["release", "attest", "build", "check"]);
});

Deno.test("workflows: all six targets, each built and proved on the machine that it is for", () => {
  const jobs = [CI.document.jobs["native"], RELEASE.document.jobs["build"]];
  for (const job of jobs) {
    assert(job !== undefined);
    const runners = runnersOf(job);
    assertEquals([...runners.keys()].sort(), [...TARGETS].sort());
    for (const [target, runner] of runners) assert(NATIVE[target]?.test(runner), runner);
    const scripts = scriptsOf(job).join("\n");
    assert(/deno task compile --target x$/m.test(scripts), scripts);
    assert(/deno task proofs -- \.\/dist\/skein-xx$/m.test(scripts), scripts);
  }
  const cross = CI.document.jobs["cross-compile"];
  assert(cross !== undefined);
  assertEquals([...runnersOf(cross).keys()].sort(), [...TARGETS].sort());
});

Deno.test("workflows: no script is made of texts that somebody else could have written", () => {
  assertEquals(BOTH.flatMap(injectable), []);
});

Deno.test("workflows: every task is there, and the runtime is the one of the other checks", () => {
  const { tasks } = JSON.parse(read("deno.json"));
  assertEquals(BOTH.flatMap(tasksOf).filter((name) => tasks[name] === undefined), []);
  const version = /deno@([\d.]+) task ok/.exec(read(".ci/run"))?.[1];
  assertEquals(BOTH.map(({ document }) => document.env?.["DENO"]), [version, version]);
});

Deno.test({
  ...needing("workflows: every script is one that a shell can read", {
    bash: succeeds("bash", "-c", "true"),
  }),
  fn() {
    const scripts = BOTH.flatMap(({ document }) => Object.values(document.jobs).flatMap(scriptsOf));
    assert(scripts.length > 10);
    assertEquals(scripts.filter((script) => !succeeds("bash", "-n", "-c", script)), []);
    assert(!succeeds("bash", "-n", "-c", "if true; then"), "a control: it would be found");
  },
});

Deno.test({
  ...needing("workflows: actionlint finds nothing", {
    actionlint: succeeds("actionlint", "-version"),
  }),
  fn() {
    const { success, stdout } = new Deno.Command("actionlint", {
      args: BOTH.map(({ path }) => path),
      cwd: ROOT,
    }).outputSync();
    assert(success, new TextDecoder().decode(stdout));
  },
});

Deno.test("workflows control: what is wrong with a bad workflow is found", () => {
  const bad = workflowOf(
    "bad.yml",
    [
      "permissions: write-all",
      "jobs:",
      "  a:",
      "    runs-on: ubuntu-latest",
      "    needs: nothing",
      "    steps:",
      "      - uses: actions/checkout@v4",
      "      - uses: x/y@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v1.0.0",
      "      - uses: x/y@de0fac2e4500dabe0009e67214ff5f5447ce83de # v1.0.0",
      "      - run: echo ${{ github.event.pull_request.title }}",
    ].join("\n"),
  );
  assertEquals(unpinned([bad]).length, 2);
  assertEquals(unbounded(bad), [
    "bad.yml: permissions",
    "a: permissions",
    "a: timeout",
    "a: ubuntu-latest",
  ]);
  assertEquals(danglingNeeds(bad), ["a: nothing"]);
  assertEquals(injectable(bad), [
    "bad.yml: a checkout leaves its token behind",
    "bad.yml: echo ${{ github.event.pull_request.title }}",
  ]);
});
