/**
 * The package as JSR would have it, by its local path: what deno.json publishes and nothing else, started by its name.
 *
 * @module
 */
import { dirname, join, resolve, toFileUrl } from "@std/path";
import { copy, ROOT } from "../compile/copy.ts";

/** What deno.json says of the package. */
interface PackageConfig {
  readonly name: string;
  readonly imports: Readonly<Record<string, string>>;
  readonly publish: { readonly include: readonly string[] };
  readonly [key: string]: unknown;
}

/**
 * Lays the package out in a folder.
 *
 * @param config the configuration whose registry answers.
 * @returns the words that start its command line.
 */
export function layOutPackage(folder: string, config: string): string[] {
  const own: PackageConfig = JSON.parse(Deno.readTextFileSync(join(ROOT, "deno.json")));
  for (const path of own.publish.include) copy(join(ROOT, path), join(folder, "package", path));
  const { name, version, license, exports } = own;
  write(join(folder, "package/deno.json"), {
    ...{ name, version, license, exports },
    imports: importsOf(config, Object.keys(own.imports)),
  });
  // Whoever uses it knows its name and nothing else of it.
  write(join(folder, "user/deno.json"), { links: ["../package"], lock: false });
  const flags = ["-A", "-q", "--no-prompt", "--config", join(folder, "user/deno.json")];
  return [Deno.execPath(), "run", ...flags, `jsr:${name}`];
}

/** What the names of the package's own imports stand for, in the registry that answers. */
function importsOf(config: string, names: readonly string[]): Record<string, string> {
  const { imports, importMap } = JSON.parse(Deno.readTextFileSync(config));
  if (importMap === undefined) return imports;
  const file = resolve(dirname(config), importMap);
  const map: PackageConfig = JSON.parse(Deno.readTextFileSync(file));
  return Object.fromEntries(names.map((name) => {
    const target = map.imports[name] ?? "";
    return [name, target.startsWith(".") ? new URL(target, toFileUrl(file)).href : target];
  }));
}

function write(path: string, value: unknown): void {
  Deno.mkdirSync(dirname(path), { recursive: true });
  Deno.writeTextFileSync(path, JSON.stringify(value, null, 2));
}
