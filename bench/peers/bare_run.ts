/**
 * The least that runs one command on this runtime, and prints what it printed.
 *
 * @module
 */
const [program = "", ...args] = Deno.args;
const { stdout } = await new Deno.Command(program, { args, stdin: "null" }).output();
Deno.stdout.writeSync(stdout);
