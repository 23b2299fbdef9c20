/**
 * An import map that puts the fault points of the crash tests in the place of those that do nothing.
 *
 * @module
 */
import { dirname, join, resolve, toFileUrl } from "@std/path";
import { CONFIG, ROOT } from "./cli.ts";

/** Writes the map into a folder and returns its path, for `importMap`. `SKEIN_FAULT` then says what happens where. */
export function writeSwappedImports(folder: string): string {
  const config = JSON.parse(Deno.readTextFileSync(CONFIG));
  const file = config.importMap === undefined ? CONFIG : resolve(dirname(CONFIG), config.importMap);
  const { imports } = JSON.parse(Deno.readTextFileSync(file)) as {
    imports: Record<string, string>;
  };
  const absolute = Object.entries(imports).map(([name, target]) => [
    name,
    target.startsWith(".") ? new URL(target, toFileUrl(file)).href : target,
  ]);
  const href = (path: string) => toFileUrl(join(ROOT, path)).href;
  const path = join(folder, "import_map.json");
  const map = {
    imports: {
      ...Object.fromEntries(absolute),
      [href("src/faults/mod.ts")]: href("tests/crash/faults.ts"),
      [href("src/cli/permissions.ts")]: href("tests/crash/permissions.ts"),
    },
    // What takes a module's place may import it.
    scopes: {
      [href("tests/crash/")]: {
        [href("src/cli/permissions.ts")]: href("src/cli/permissions.ts"),
      },
    },
  };
  Deno.writeTextFileSync(path, JSON.stringify(map));
  return path;
}
