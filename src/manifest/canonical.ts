import { resolve } from "@std/path";
import {
  type Block,
  type Limits,
  type Manifest,
  MANIFEST_LIMITS,
  type Task,
} from "../model/mod.ts";
import type { BlockShape, ManifestShape } from "./schema.ts";
import type { Structure } from "./structure.ts";

/**
 * Fills in what the definition leaves open: limits of 0, and paths, which become absolute. Its tasks are frozen: what
 * was checked is what runs, and their graph need be made only once.
 */
export function canonical({ shape, blocks }: Structure, folder: string | undefined): Manifest {
  const base = folder ?? Deno.cwd();
  // Without a prototype: `blocks["constructor"]` is a block or nothing.
  const byName: Record<string, Block> = Object.create(null);
  for (const [name, block] of blocks) byName[name] = canonicalBlock(block, base);
  return {
    version: shape.version,
    name: shape.name,
    workers: shape.workers,
    limits: canonicalLimits(shape.limits),
    env: shape.env,
    inheritEnv: shape.inheritEnv,
    blocks: byName,
    tasks: Object.freeze(shape.tasks.map((task) => canonicalTask(task, base))),
  };
}

function canonicalLimits(limits: Limits): Limits {
  return {
    maxPasses: limits.maxPasses || MANIFEST_LIMITS.maxPasses.default,
    maxOutputBytes: limits.maxOutputBytes || MANIFEST_LIMITS.maxOutputBytes.default,
    runTimeoutMs: limits.runTimeoutMs || MANIFEST_LIMITS.runTimeoutMs.default,
  };
}

function canonicalBlock(block: BlockShape, base: string): Block {
  return { ...block, cwd: resolve(base, block.cwd) };
}

function canonicalTask(task: ManifestShape["tasks"][number], base: string): Task {
  return Object.freeze({
    id: task.id,
    block: task.block,
    args: Object.freeze(task.args),
    needs: Object.freeze(task.needs),
    ...(task.stdin === undefined ? {} : { stdin: task.stdin }),
    ...(task.stdinFile === undefined ? {} : { stdinFile: resolve(base, task.stdinFile) }),
    ...(task.stdinFrom === undefined ? {} : { stdinFrom: task.stdinFrom }),
    ...(task.passes === undefined ? {} : { passes: task.passes }),
    ...(task.timeoutMs === undefined ? {} : { timeoutMs: task.timeoutMs }),
    env: Object.freeze(task.env),
  });
}
