/** Makes a path absolute, without `.`, `..` and doubled separators. */
export type Resolve = (path: string) => string;

/**
 * What resolves paths against an absolute folder. The rules of Windows, with its drives, are those of a library, which
 * is loaded where a folder does not begin at the one root.
 */
export async function resolverFrom(folder: string): Promise<Resolve> {
  if (folder.startsWith("/")) return (path) => resolvePosix(folder, path);
  const { resolve } = await import("@std/path");
  return (path) => resolve(folder, path);
}

/** The folder that a file is in, as an absolute path. */
export async function folderOf(file: string): Promise<string> {
  const resolve = await resolverFrom(Deno.cwd());
  return resolve(`${file}/..`);
}

function resolvePosix(folder: string, path: string): string {
  const segments: string[] = [];
  for (const segment of (path.startsWith("/") ? path : `${folder}/${path}`).split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}
