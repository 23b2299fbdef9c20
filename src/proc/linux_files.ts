const decoder = new TextDecoder();

/** A file of `/proc`; `null` where the process is gone or belongs to somebody else. */
export function readProc(path: string): string | null {
  try {
    return decoder.decode(Deno.readFileSync(path));
  } catch (error) {
    if (isNotCapable(error)) throw error;
    return null;
  }
}

/** Whether Skein's own permissions do not allow it. */
export function isNotCapable(error: unknown): boolean {
  return error instanceof Deno.errors.NotCapable;
}
