/**
 * What the command lines of each page find when they are executed, where it is more than a folder with three manifests;
 * and which are not executed, with the reason.
 *
 * @module
 */
import { DatabaseSync } from "node:sqlite";
import { join } from "@std/path";
import { CONFIG, eventually, ROOT } from "../support/cli.ts";
import { INSTALL_SH } from "../install/installers.ts";
import { ReleaseServer } from "../install/release_server.ts";
import { sha256 } from "../support/digest.ts";
import type { Place } from "./place.ts";

/** What a section's command lines find. Command lines are named as they stand on the page. */
export interface Scene {
  /** Gets the folder ready; what it returns stands in the place of texts of the page, such as the id of a run. */
  readonly prepare?: (place: Place) => Promise<Names> | Names;
  /** The folder, relative to the checkout, in the place of one of its own. The state directory is elsewhere all the same. */
  readonly in?: string;
  /** Each command line finds everything as it was got ready, and not as the one before has left it. */
  readonly apart?: boolean;
  /** Exit codes that the page shows without stating them in a comment. */
  readonly exits?: Readonly<Record<string, number>>;
  /** Command lines that go on until they are asked to end. */
  readonly endless?: readonly string[];
  /** What is executed in the place of command lines that take long: the same with bounds. The long form has no use for it. */
  readonly shorter?: Readonly<Record<string, string>>;
  /** Command lines that are not executed, with the reason. */
  readonly notRun?: Readonly<Record<string, string>>;
  /** Command lines that are of another shell than `sh`, which must be there. */
  readonly shells?: Readonly<Record<string, string>>;
  /** Programs beside Skein that command lines need: without them they are skipped, and the test's name says so. */
  readonly needs?: Readonly<Record<string, string>>;
}

/** Texts of a page and what stands in their place. */
export type Names = Readonly<Record<string, string>>;

/** Pages that another test executes, as one script, and that test. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  "docs/integration.md": "tests/integration/docs_test.ts",
};

const NO_NAMES: Names = {};
const APART = true;
/** A run's id, as pages show one. */
export const ANY_RUN = "<run>";
/** An executor's id, as pages show one. */
export const ANY_EXECUTOR = "<executor>";

/** Pages, and the sections of each that find more than every section does. */
export const SCENES: Readonly<Record<string, Readonly<Record<string, Scene>>>> = {
  "README.md": {
    "Try it": {
      in: ".",
      notRun: { "npx -y deno@2.9.6 task test": "these tests themselves" },
    },
    Install: {
      prepare: released,
      needs: { "sh install.sh": "curl" },
      notRun: {
        "powershell -ExecutionPolicy Bypass -File install.ps1":
          "tests/install/ runs it where there is PowerShell",
      },
    },
  },
  "docs/benchmarks.md": {
    Method: {
      in: ".",
      notRun: {
        "deno task compile": "needs Deno's download site; .ci/run compiles",
        "SKEIN_BIN=dist/skein-x86_64-unknown-linux-gnu deno task bench:peers --install":
          "takes an hour, and wants the machine for itself",
      },
      shorter: {
        "deno task bench:peers --only cold --samples 5 --out /tmp/cold.md":
          "deno task bench:peers --only start --small --samples 1 --out /dev/null",
      },
    },
  },
  "docs/contributing.md": {
    Contributing: {
      in: ".",
      notRun: {
        "deno task ok": "runs these tests",
        "deno task test": "these tests themselves",
        "deno task test:long": "these tests, for an hour",
        "deno task compile": "needs Deno's download site; .ci/run compiles",
        "deno task proofs:here": "takes a minute; .ci/run does it after these tests",
        "deno task generate":
          "writes into the checkout; tests/golden shows that nothing would change",
      },
    },
  },
  "docs/releasing.md": {
    Compiling: {
      notRun: {
        "deno task compile": "needs Deno's download site; .ci/run compiles",
        "deno task compile --target aarch64-unknown-linux-gnu": "needs Deno's download site",
        "deno task compile --all": "needs Deno's download site",
      },
    },
    "The two proofs": {
      notRun: {
        "deno task proofs -- deno run -A --no-prompt main.ts": "takes a minute; .ci/run does it",
        "deno task proofs -- ./dist/skein-x86_64-unknown-linux-gnu": "there is no binary here",
        "deno task proofs -- --rounds 20 skein": "takes minutes, on an installed Skein",
        "deno task proofs:here": "takes a minute; .ci/run does it after these tests",
      },
    },
  },
  "docs/security.md": {
    "Narrower from the start": {
      prepare: () => ({ " main.ts ": ` --config "${CONFIG}" "${join(ROOT, "main.ts")}" ` }),
    },
  },
  "docs/operations.md": {
    "Room on the disk": { prepare: submitted },
    Backups: {
      prepare: async (place) => {
        await died(place);
        const names = await submitted(place);
        Deno.mkdirSync(place.path("backup"));
        return {
          ...names,
          "/var/lib/skein": place.path(".skein"),
          "/backup": place.path("backup"),
        };
      },
      needs: {
        "sqlite3 /var/lib/skein/queue.db \"VACUUM INTO '/backup/queue.db'\"": "sqlite3",
        "rsync -a /var/lib/skein/runs /var/lib/skein/ID /var/lib/skein/EPOCH* /backup/": "rsync",
      },
    },
    Upgrading: {
      prepare: async (place) => {
        const names = await submitted(place);
        const database = new DatabaseSync(place.path(".skein", "queue.db"));
        database.exec("INSERT INTO migrations VALUES (1000, 'of a newer version', '', 0)");
        database.close();
        return names;
      },
      exits: { "skein submit nightly.json": 1 },
    },
    "1. Look": { prepare: submitted },
    "2. Is there a worker?": { prepare: submitted },
    "3. A worker died": { prepare: abandoned },
    "4. Somebody holds the write lock": { prepare: locked },
    "5. A run waits for a time": { prepare: submitted },
    "6. The swarm was stopped": {
      prepare: async (place) => {
        const names = await submitted(place);
        await place.skein("stop");
        return names;
      },
    },
    "7. Is the database whole?": {
      prepare: async (place) => {
        const names = await worked(place);
        const data = place.path(".skein", "runs", names[ANY_RUN] ?? "", "data");
        Deno.removeSync(`${data}/fetch.1.1.1.stdout`);
        return names;
      },
      exits: { "skein fsck --text": 1 },
    },
  },
  "examples/README.md": { Examples: { in: "examples" } },
  "docs/cli.md": {
    "skein show": { prepare: worked },
    "skein logs": { prepare: ran },
    "skein ps": { prepare: ran },
    // Outside of a task there is no lease.
    "skein lease": {
      exits: { "skein lease check --json": 1, "skein lease exec -- git push origin main": 1 },
    },
    "skein work": { prepare: submitted, apart: APART, endless: ["skein work --concurrency 4"] },
    "skein cancel": { prepare: submitted },
    "skein retry": { prepare: failed, apart: APART },
    "skein recover": { prepare: abandoned },
    "skein drain": { prepare: working, apart: APART },
    "skein fsck": { prepare: submitted },
    "skein explain": { prepare: ran },
    "skein prune": { prepare: ran },
    "skein prove": {
      prepare: (place) => {
        place.write("swarm.json", Deno.readTextFileSync(place.path("slow.json")));
        return NO_NAMES;
      },
      shorter: {
        "skein prove": "skein prove --rounds 1 --trees 2",
        "skein prove --manifest swarm.json --rounds 5":
          "skein prove --manifest swarm.json --rounds 1",
      },
    },
    "skein completions": {
      prepare: (place) => {
        Deno.mkdirSync(place.path(".config/fish/completions"), { recursive: true });
        // What stands in a reader's .zshrc before that line; this is the file that `zsh -c` reads.
        place.write(".zshenv", "autoload -Uz compinit\ncompinit -u -D\n");
        return NO_NAMES;
      },
      shells: {
        'eval "$(skein completions bash)"': "bash",
        "source <(skein completions zsh)": "zsh",
      },
    },
    "skein reset": {
      prepare: async (place) => {
        await place.skein("stop");
        return NO_NAMES;
      },
    },
  },
};

/** A release for this machine, and the installer beside the reader. */
async function released(place: Place): Promise<Names> {
  const server = new ReleaseServer();
  place.defer(server);
  const binary = new TextEncoder().encode('#!/bin/sh\necho \'{"skein":"9.9.9"}\'\n');
  const sums = new TextEncoder().encode(`${await sha256(binary)}  ${INSTALL_SH.file}\n`);
  server.files.set(`/releases/latest/download/${INSTALL_SH.file}`, { body: binary });
  server.files.set("/releases/latest/download/SHA256SUMS", { body: sums });
  Object.assign(place.env, { SKEIN_RELEASE_URL: server.address, no_proxy: "127.0.0.1" });
  Deno.copyFileSync(INSTALL_SH.script, place.path("install.sh"));
  return NO_NAMES;
}

/** A local run that has ended. */
async function ran(place: Place): Promise<Names> {
  await place.skein("run", "swarm.json");
  return NO_NAMES;
}

/** A run of the queue that waits. */
async function submitted(place: Place): Promise<Names> {
  const { stdout, stderr } = await place.skein("submit", "nightly.json");
  const { runId } = JSON.parse(stdout || `{"runId":${JSON.stringify(stderr)}}`);
  return { [ANY_RUN]: runId };
}

/** A run of the queue that has ended. */
async function worked(place: Place): Promise<Names> {
  const names = await submitted(place);
  await place.skein("work", "--until-idle");
  return names;
}

/** A run of the queue that has failed. */
async function failed(place: Place): Promise<Names> {
  place.write("nightly.json", Deno.readTextFileSync(place.path("failing.json")));
  return await worked(place);
}

/** A worker that has nothing to do. */
async function working(place: Place): Promise<Names> {
  return (await startWorker(place)).names;
}

/** A worker that was killed; the queue remembers it. */
async function died(place: Place): Promise<void> {
  const { worker } = await startWorker(place);
  worker.kill("SIGKILL");
  await worker.status;
}

async function startWorker(place: Place): Promise<{ worker: Deno.ChildProcess; names: Names }> {
  const worker = place.start("work", "--poll", "100", "--quiet");
  let executor: string | undefined;
  while (executor === undefined) {
    const { stdout } = await place.skein("status");
    executor = JSON.parse(stdout).queue?.executors[0]?.executor;
  }
  return { worker, names: { [ANY_EXECUTOR]: executor } };
}

/** A run whose worker was killed. */
async function abandoned(place: Place): Promise<Names> {
  place.write("nightly.json", Deno.readTextFileSync(place.path("slow.json")));
  const names = await submitted(place);
  const worker = place.start("work", "--lease-ttl", "1000", "--quiet");
  const started = place.path(".skein", "runs", names[ANY_RUN] ?? "", "data", "build.1.1.1.stdout");
  await eventually("the run's second task has started", () => has(started));
  worker.kill("SIGKILL");
  await worker.status;
  return names;
}

/** A run of the queue that waits, and somebody who holds the write lock for a while. */
async function locked(place: Place): Promise<Names> {
  const names = await submitted(place);
  const database = new DatabaseSync(place.path(".skein", "queue.db"));
  database.exec("BEGIN IMMEDIATE");
  const held = new Promise<void>((resolve) => setTimeout(resolve, 1500)).then(() => {
    database.exec("ROLLBACK");
    database.close();
  });
  place.defer({ [Symbol.asyncDispose]: () => held });
  return names;
}

function has(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
