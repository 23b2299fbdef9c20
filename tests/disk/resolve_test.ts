import { assertEquals } from "@std/assert";
import { dirname, resolve } from "@std/path";
import fc from "fast-check";
import { folderOf, resolverFrom } from "../../src/disk/resolve.ts";

const SEGMENTS = fc.constantFrom("a", "b c", ".", "..", "...", "", "~", "é", "C:", "\\");
const PATH = fc.tuple(fc.constantFrom("", "/", "//", "./", "../"), fc.array(SEGMENTS))
  .map(([head, segments]) => `${head}${segments.join("/")}`);

Deno.test("resolverFrom() resolves as the path library does", async () => {
  await fc.assert(fc.asyncProperty(PATH, async (path) => {
    const ours = (await resolverFrom("/base/of/it"))(path);
    assertEquals(ours, resolve("/base/of/it", path));
  }));
});

Deno.test("folderOf() is the folder of a file, however it is named", async () => {
  await fc.assert(fc.asyncProperty(PATH, async (path) => {
    assertEquals(await folderOf(`${path}/swarm.json`), dirname(resolve(`${path}/swarm.json`)));
  }));
});
