/**
 * `deno task compile`: Skein as one file for each system, in `dist/`, with `SHA256SUMS`.
 *
 * @module
 */
import { parseArgs } from "@std/cli";
import { join } from "@std/path";
import { messageOf } from "../src/model/error.ts";
import {
  compile,
  type CompileOptions,
  compileTwice,
  describe,
  ownTarget,
  writeSums,
} from "./compile/compile.ts";
import { anyCompiler, ownCompiler } from "./compile/compiler.ts";
import { ROOT } from "./compile/copy.ts";
import { type Target, targetNamed, TARGETS } from "./compile/targets.ts";
import { registryConfig } from "./registry.ts";

const USAGE = `deno task compile [flags]

  --target NAME  For this system, as often as you like; without it for this machine
  --all          For all of ${TARGETS.join(", ")}
  --out DIR      Where the binaries go (dist)
  --twice        Compile twice, keep nothing, and say what differs
  --older        With an older runtime from npm where Deno's download site does not answer: to test, not to release`;

/** What is asked for; `null` where it cannot be understood. */
interface Request {
  readonly targets: readonly Target[];
  readonly out: string;
  readonly twice: boolean;
  readonly older: boolean;
}

function read(args: readonly string[]): Request | null {
  const flags = parseArgs([...args], {
    boolean: ["all", "twice", "older", "help"],
    string: ["target", "out"],
    collect: ["target"],
    unknown: (word) => {
      throw new Error(`"${word}" is unknown`);
    },
  });
  if (flags.help === true) return null;
  const named = (flags.target as string[]).map((name) => {
    const target = targetNamed(name);
    if (typeof target !== "string") throw new Error(target.problem);
    return target;
  });
  const targets = flags.all === true ? TARGETS : named.length > 0 ? named : [ownTarget()];
  const out = String(flags.out ?? join(ROOT, "dist"));
  return { targets, out, twice: flags.twice === true, older: flags.older === true };
}

async function main(args: readonly string[]): Promise<number> {
  let request: Request | null;
  try {
    request = read(args);
  } catch (error) {
    say(`${messageOf(error)}\n\n${USAGE}`);
    return 2;
  }
  if (request === null) {
    say(USAGE);
    return 0;
  }
  try {
    return await perform(request);
  } catch (error) {
    say(messageOf(error));
    return 1;
  }
}

async function perform({ targets, out, twice, older }: Request): Promise<number> {
  const config = join(ROOT, await registryConfig());
  const compiler = older ? await anyCompiler(ownTarget()) : ownCompiler;
  if ("missing" in compiler) throw new Error(`Nothing can compile: ${compiler.missing}`);
  if (compiler !== ownCompiler && targets.some((target) => target !== ownTarget())) {
    throw new Error("The older runtime is for this machine only");
  }
  const options: CompileOptions = { config, compiler };
  if (twice) return await compareTwo(targets, options);
  for (const target of targets) {
    say(describe(await compile(target, out, options)));
  }
  await writeSums(out);
  return 0;
}

async function compareTwo(targets: readonly Target[], options: CompileOptions): Promise<number> {
  let code = 0;
  for (const target of targets) {
    const differences = await compileTwice(target, options);
    say(`${target}: ${differences.length === 0 ? "the same, byte by byte" : "not the same"}`);
    for (const { offset, length, around } of differences) {
      say(`  ${length} bytes at ${offset}: ${around}`);
      code = 1;
    }
  }
  return code;
}

function say(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

if (import.meta.main) Deno.exitCode = await main(Deno.args);
