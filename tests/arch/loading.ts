/**
 * What a command loads: the modules that are executed before it does anything.
 *
 * @module
 */
const STATEMENT = /^(?:import|export)\s+(type\s)?(?:[^;"'`=(]*?\bfrom\s+)?"([^"]+)";/gm;

/** What a file and everything behind its imports loads. */
export interface Loaded {
  /** Files, by their paths from the root. */
  readonly files: readonly string[];
  /** Packages and modules of the runtime. */
  readonly packages: readonly string[];
}

/** Follows imports, but neither those of types alone nor those that are made when they are asked for. */
export function loadedBy(root: string, entries: readonly string[]): Loaded {
  const files = new Set(entries);
  const packages = new Set<string>();
  // A set iterates what is added to it meanwhile: this walks everything that is reached.
  for (const file of files) {
    for (
      const [, type, specifier = ""] of Deno.readTextFileSync(`${root}/${file}`).matchAll(STATEMENT)
    ) {
      if (type !== undefined) continue;
      if (specifier.startsWith(".")) files.add(resolve(file, specifier));
      else packages.add(specifier);
    }
  }
  return { files: [...files], packages: [...packages] };
}

function resolve(file: string, specifier: string): string {
  return new URL(specifier, `file:///${file}`).pathname.slice(1);
}
