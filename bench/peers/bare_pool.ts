/**
 * A plain script that runs commands on this runtime: starts a command once for each of some numbers, so many at the
 * same time, and prints what each printed. No session, no file, no check.
 *
 * @module
 */
const [count = "", workers = "", program = "", ...args] = Deno.args;
const outputs: Uint8Array[] = [];
let next = 0;

async function work(): Promise<void> {
  for (let seed = next++; seed < Number(count); seed = next++) {
    const command = new Deno.Command(program, { args: [...args, String(seed)], stdin: "null" });
    const { success, stdout } = await command.output();
    if (!success) throw new Error(`Task ${seed} failed`);
    outputs.push(stdout);
  }
}

await Promise.all(Array.from({ length: Number(workers) }, work));
for (const output of outputs) Deno.stdout.writeSync(output);
