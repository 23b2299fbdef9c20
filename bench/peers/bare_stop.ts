/**
 * The least that asks for a stop: writes a file.
 *
 * @module
 */
Deno.writeTextFileSync(Deno.args[0] ?? "", "stop");
