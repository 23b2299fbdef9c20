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
