import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { checkPublish } from "../../tools/publish_check.ts";
import { registryConfig } from "../../tools/registry.ts";
import { ROOT, temporaryFolder } from "../support/cli.ts";

const CONFIG = JSON.parse(Deno.readTextFileSync(join(ROOT, "deno.json")));
const EXPORTS: Readonly<Record<string, string>> = CONFIG.exports;

function copy(from: string, to: string): void {
  if (!Deno.statSync(from).isDirectory) return Deno.copyFileSync(from, to);
  Deno.mkdirSync(to, { recursive: true });
  for (const { name } of Deno.readDirSync(from)) copy(join(from, name), join(to, name));
}

/** What the check says of this package after something was changed in it. */
async function afterChange(change: (root: string) => void): Promise<string> {
  using folder = temporaryFolder();
  for (const path of CONFIG.publish.include) copy(join(ROOT, path), join(folder.path, path));
  copy(join(ROOT, "tools"), join(folder.path, "tools"));
  change(folder.path);
  const { ok, output } = await checkPublish(folder.path, await registryConfig());
  assert(!ok, "it would be published");
  return output;
}

Deno.test("checkPublish() refuses slow types, an import without a version, and an entry that is not there", async () => {
  const slow = await afterChange((root) => {
    const text = "\n/** Slow. */\nexport const slow = Math.max(1, 2);\n";
    Deno.writeTextFileSync(join(root, "src/lease.ts"), text, { append: true });
  });
  assertStringIncludes(slow, "missing-explicit-type");
  const loose = await afterChange((root) => {
    for (const path of ["deno.json", "tools/npm/import_map.json"]) {
      const text = Deno.readTextFileSync(join(root, path));
      Deno.writeTextFileSync(join(root, path), text.replace(/npm:zod@[\d.]+/, "npm:zod"));
    }
  });
  assertStringIncludes(loose, "missing-constraint");
  await afterChange((root) => Deno.removeSync(join(root, "src/lease.ts")));
});

Deno.test("every entry of the package says what it is, with an example", () => {
  const bare = Object.values(EXPORTS).filter((path) => {
    const [comment = ""] = /^\/\*\*[^]*?\*\//.exec(Deno.readTextFileSync(join(ROOT, path))) ?? [];
    return !comment.includes("@module") || !/@example\n \* ```ts/.test(comment);
  });
  assertEquals(bare, []);
});

Deno.test("the package has every file that its entries reach, its license and its page", () => {
  const include: readonly string[] = CONFIG.publish.include;
  const holds = (path: string) => include.some((one) => path === one || path.startsWith(`${one}/`));
  assertEquals(
    Object.values(EXPORTS).map((path) => path.slice(2)).filter((path) => !holds(path)),
    [],
  );
  assert(["README.md", "LICENSE", "deno.json"].every(holds));
});
