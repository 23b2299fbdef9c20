import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../support/cli.ts";
import { Place } from "./place.ts";

const PAGE = Deno.readTextFileSync(join(ROOT, "docs/security.md"));

/** What the runtime prints when the checkout's command line is started with these flags. */
async function printed(place: Place, flags: string): Promise<string> {
  const line = `deno run ${flags} --no-prompt --config tools/npm/deno.json main.ts version`;
  const { commands, output } = await place.execute([line], { cwd: ROOT });
  assertEquals(commands.map(({ code }) => code), [0], output);
  return output;
}

Deno.test("docs/security.md quotes what the runtime prints beside Skein's own words, and -q silences it", async () => {
  await using place = new Place();
  const cases: [flags: string, words: string][] = [
    ["-P=cli", "Permissions in the config file is an experimental feature"],
    ["--allow-read --allow-run=agent", "Failed to resolve 'agent' for allow-run"],
  ];
  for (const [flags, words] of cases) {
    assertStringIncludes(PAGE, words);
    assertStringIncludes(await printed(place, flags), words);
    assert(!(await printed(place, `-q ${flags}`)).includes(words), `-q ${flags}`);
  }
});
