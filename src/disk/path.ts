/**
 * A path as every process understands it: without links where it is there, else joined to the current folder. A path
 * library would do, at more than the cost of the whole of `skein stop`.
 */
export function absolutePath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    const plain = path.replace(/(?<=.)\/+$/, "");
    if (/^(?:[/\\]|[a-z]:)/i.test(plain)) return plain;
    return `${Deno.cwd()}/${plain.replace(/^(?:\.\/+)+/, "")}`;
  }
}

/** Whether there is nothing at a path. Any answer of the file system but that is something, an error too. */
export function isAbsent(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return false;
  } catch (error) {
    return error instanceof Deno.errors.NotFound;
  }
}
