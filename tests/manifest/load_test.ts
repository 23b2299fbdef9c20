import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { loadManifest, ManifestError } from "../../src/manifest/mod.ts";
import { SkeinError } from "../../src/model/mod.ts";

const TEXT =
  '{"version": 1, "blocks": {"b": {"argv": ["x"]}}, "tasks": [{"id": "a", "block": "b"}]}';

async function inFolder(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await act(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("loadManifest() resolves paths against the file's folder", () =>
  inFolder(async (folder) => {
    const path = join(folder, "m.json");
    await Deno.writeTextFile(path, TEXT);
    assertEquals((await loadManifest(path)).blocks["b"]?.cwd, folder);
  }));

Deno.test("loadManifest() allows comments in a .jsonc file only", () =>
  inFolder(async (folder) => {
    for (const name of ["m.jsonc", "m.json"]) {
      await Deno.writeTextFile(join(folder, name), `// comment\n${TEXT}`);
    }
    assertEquals((await loadManifest(join(folder, "m.jsonc"))).tasks.length, 1);
    const error = await assertRejects(() => loadManifest(join(folder, "m.json")), ManifestError);
    assertEquals(error.diagnostics.map(({ code }) => code), ["comment"]);
  }));

Deno.test("loadManifest() throws every problem with file, line, column and path", () =>
  inFolder(async (folder) => {
    const path = join(folder, "m.json");
    await Deno.writeTextFile(path, TEXT.replace('"id"', '"idd"').replace('"x"', '" "'));
    const error = await assertRejects(() => loadManifest(path), ManifestError);
    assertEquals(error.code, "manifest-invalid");
    assertEquals(error.file, path);
    assertEquals(error.diagnostics.length, 3);
    assertStringIncludes(
      error.message,
      `${path}:1:60: Missing key "id": text is needed ($.tasks[0].id)`,
    );
    assertEquals(error.message.split("\n").length, 3);
  }));

Deno.test("loadManifest() shortens a message that nobody could read, and keeps the diagnostics", () =>
  inFolder(async (folder) => {
    const path = join(folder, "m.json");
    await Deno.writeTextFile(
      path,
      TEXT.replace('["x"]', JSON.stringify(["x", ...Array(500).fill(1)])),
    );
    const error = await assertRejects(() => loadManifest(path), ManifestError);
    assertEquals(error.diagnostics.length, 500);
    assertStringIncludes(error.message, "and 400 more problems");
  }));

Deno.test("loadManifest() says of a file that is missing, a folder or too large that it cannot be read", () =>
  inFolder(async (folder) => {
    const large = join(folder, "large.json");
    await Deno.writeTextFile(large, "");
    await Deno.truncate(large, 268_435_457);
    for (const path of [join(folder, "none.json"), folder, large]) {
      const error = await assertRejects(() => loadManifest(path), SkeinError);
      assertEquals(error.code, "manifest-unreadable");
      assertStringIncludes(error.message, `Cannot read "${path}"`);
    }
    const error = await assertRejects(() => loadManifest(large), SkeinError);
    assertStringIncludes(error.message, "at most 268435456 are allowed");
  }));
