/**
 * Starts a command once for each of some numbers, so many at the same time, as the nodes of a LangGraph, and prints what
 * each printed.
 *
 * @module
 */
import { compileLangGraph } from "./packages.ts";

const [count = "", workers = "", program = "", ...args] = Deno.args;
const outputs: Uint8Array[] = [];

const graph = await compileLangGraph(
  Array.from({ length: Number(count) }, () => []),
  async (seed) => {
    const command = new Deno.Command(program, { args: [...args, String(seed)] });
    const { success, stdout } = await command.output();
    if (!success) throw new Error(`Task ${seed} failed`);
    outputs.push(stdout);
  },
);
await graph.invoke({ done: 0 }, { maxConcurrency: Number(workers), recursionLimit: 10 });
for (const output of outputs) Deno.stdout.writeSync(output);
