/**
 * What this machine lets a test do. A test that needs more is skipped, and its name says what is missing.
 *
 * @module
 */

/** A name and whether to leave the test out, for `Deno.test`. */
export function needing(
  name: string,
  needs: Readonly<Record<string, boolean>>,
): { readonly name: string; readonly ignore: boolean } {
  const missing = Object.keys(needs).filter((each) => needs[each] !== true);
  const ignore = missing.length > 0;
  return { name: ignore ? `${name} (needs ${missing.join(", ")})` : name, ignore };
}

/** Whether a command ends well. */
export function succeeds(program: string, ...args: string[]): boolean {
  try {
    return new Deno.Command(program, { args, stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

/** What starts a program without root's right to read everything; empty for a user who has no such right. */
export const WITHOUT_ROOT_RIGHTS: readonly string[] = Deno.uid() === 0
  ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
  : [];

/** Whether a file without any permission bits is unreadable to what {@linkcode WITHOUT_ROOT_RIGHTS} starts. */
export function canForbidReading(): boolean {
  const path = Deno.makeTempFileSync();
  try {
    Deno.chmodSync(path, 0);
    const [program = "cat", ...args] = [...WITHOUT_ROOT_RIGHTS, "cat", path];
    return succeeds("true") && !succeeds(program, ...args) &&
      succeeds(program, ...args.slice(0, -1), "/dev/null");
  } finally {
    Deno.removeSync(path);
  }
}
