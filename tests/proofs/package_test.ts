import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { layOutPackage } from "../../tools/proofs/package.ts";
import { Start } from "../../tools/proofs/start.ts";
import { CONFIG, ROOT, temporaryFolder } from "../support/cli.ts";
import { exists } from "../support/swarm.ts";

Deno.test("layOutPackage() starts the package by its name, and what was laid out, not the checkout", async () => {
  using folder = temporaryFolder();
  const words = layOutPackage(folder.path, CONFIG);
  assertEquals(words.at(-1), "jsr:@skein/cli");
  const path = `${folder.path}/package/deno.json`;
  const config = JSON.parse(Deno.readTextFileSync(path));
  Deno.writeTextFileSync(path, JSON.stringify({ ...config, version: "7.7.7" }));
  const { code, stdout, stderr } = await new Start(words, ROOT).run(["version", "--json"]);
  assertEquals(code, 0, stderr);
  assertStringIncludes(stdout, '"skein":"7.7.7"');
});

Deno.test("layOutPackage() lays out what is published and nothing else", () => {
  using folder = temporaryFolder();
  layOutPackage(folder.path, CONFIG);
  const names = Array.from(Deno.readDirSync(`${folder.path}/package`), ({ name }) => name);
  const { publish } = JSON.parse(Deno.readTextFileSync(`${ROOT}/deno.json`));
  assertEquals(names.sort(), publish.include.toSorted());
  assert(exists(`${folder.path}/package/src/cli/main.ts`));
});
