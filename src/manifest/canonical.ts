import type { Resolve } from "../disk/resolve.ts";
import {
  type Block,
  type Limits,
  type Manifest,
  MANIFEST_LIMITS,
  type Task,
} from "../model/mod.ts";
import { keepGraph, type Links } from "./graph.ts";
import type { BlockShape, ManifestShape } from "./schema.ts";

/**
 * Fills in what the definition leaves open: limits of 0, and paths, which become absolute. Its tasks are frozen: what
 * was checked is what runs, by the graph that was made of its names then.
 *
 * @param links how the tasks hang together, `null` where something is wrong with that.
 */
export function canonical(shape: ManifestShape, links: Links | null, resolve: Resolve): Manifest {
  // Without a prototype: `blocks["constructor"]` is a block or nothing.
  const blocks: Record<string, Block> = Object.create(null);
  for (const [name, block] of Object.entries(shape.blocks)) {
    blocks[name] = canonicalBlock(block, resolve);
  }
  const tasks = Object.freeze(shape.tasks.map((task) => canonicalTask(task, resolve)));
  if (links !== null) keepGraph(tasks, links);
  return {
    version: shape.version,
    name: shape.name,
    workers: shape.workers,
    limits: canonicalLimits(shape.limits),
    env: shape.env,
    inheritEnv: shape.inheritEnv,
    blocks,
    tasks,
  };
}

function canonicalLimits(limits: Limits): Limits {
  return {
    maxPasses: limits.maxPasses || MANIFEST_LIMITS.maxPasses.default,
    maxOutputBytes: limits.maxOutputBytes || MANIFEST_LIMITS.maxOutputBytes.default,
    runTimeoutMs: limits.runTimeoutMs || MANIFEST_LIMITS.runTimeoutMs.default,
  };
}

function canonicalBlock(block: BlockShape, resolve: Resolve): Block {
  const { maxAttempts, backoffMs, maxBackoffMs } = block.retry;
  return {
    argv: block.argv,
    passes: block.passes,
    timeoutMs: block.timeoutMs,
    env: block.env,
    cwd: resolve(block.cwd),
    retry: { maxAttempts, backoffMs, maxBackoffMs },
  };
}

function canonicalTask(task: ManifestShape["tasks"][number], resolve: Resolve): Task {
  return Object.freeze({
    id: task.id,
    block: task.block,
    args: Object.freeze(task.args),
    needs: Object.freeze(task.needs),
    ...(task.stdin === undefined ? {} : { stdin: task.stdin }),
    ...(task.stdinFile === undefined ? {} : { stdinFile: resolve(task.stdinFile) }),
    ...(task.stdinFrom === undefined ? {} : { stdinFrom: task.stdinFrom }),
    ...(task.passes === undefined ? {} : { passes: task.passes }),
    ...(task.timeoutMs === undefined ? {} : { timeoutMs: task.timeoutMs }),
    env: Object.freeze(task.env),
  });
}
