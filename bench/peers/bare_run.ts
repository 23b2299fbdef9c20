/**
 * A plain script that runs one command on this runtime, and prints what it printed.
 *
 * @module
 */
const [program = "", ...args] = Deno.args;
const { success, stdout } = await new Deno.Command(program, { args, stdin: "null" }).output();
if (!success) throw new Error(`${program} failed`);
Deno.stdout.writeSync(stdout);
