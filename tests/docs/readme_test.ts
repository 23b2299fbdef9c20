import { assert, assertEquals, assertThrows } from "@std/assert";
import { join, relative } from "@std/path";
import { needing, succeeds } from "../support/capability.ts";
import { CONFIG, ROOT } from "../support/cli.ts";
import { sectionsOf } from "./commands.ts";
import { Place } from "./place.ts";

const PAGE = Deno.readTextFileSync(join(ROOT, "README.md"));

/** The command lines that make a program of the checkout. */
function installing(): string[] {
  const lines = sectionsOf(PAGE).find(({ heading }) => heading === "Try it")?.commands ?? [];
  const texts = lines.map(({ text }) => text);
  return texts.slice(texts.findIndex((text) => text.startsWith("mkdir")));
}

Deno.test({
  ...needing("README.md: a task finds the checkout's `skein`, whatever spaces the folders have", {
    "a shell": Deno.build.os !== "windows" && succeeds("sh", "-c", "true"),
  }),
  async fn() {
    await using place = new Place();
    const checkout = place.path("my checkout");
    const home = place.path("my home");
    Deno.symlinkSync(ROOT, checkout);
    Deno.mkdirSync(home);
    place.env["HOME"] = home;
    place.write(
      "swarm.json",
      JSON.stringify({
        version: 1,
        // What the tests themselves run on, as `Place` has it.
        inheritEnv: ["DENO_*"],
        env: [`SKEIN_CONFIG=${relative(ROOT, CONFIG)}`],
        blocks: { b: { argv: ["sh", "-c", "command -v skein; skein lease check"] } },
        tasks: [{ id: "a", block: "b" }],
      }),
    );
    const { commands, output } = await place.execute([
      `cd '${checkout}'`,
      ...installing(),
      `cd '${place.folder}'`,
      `PATH="$HOME/.local/bin:$PATH"`,
      "skein run swarm.json --quiet",
      "skein logs latest a --stream stdout",
    ]);
    assertEquals(commands.filter(({ code }) => code !== 0), [], output);
    assert(output.includes(join(home, ".local/bin/skein")), output);
  },
});

Deno.test("README.md: the function of the library's example fails once its lease is worth nothing", async () => {
  const [, call = ""] = /functionExecutor\((\([^]*?\n {2}\})\),$/m.exec(PAGE) ?? [];
  const module = `data:application/javascript,${encodeURIComponent(`export default ${call}`)}`;
  const { default: execute } = await import(module);
  const task = { id: "a" };
  assertEquals(execute({ task, leaseHolds: () => true }), "result of a");
  assertThrows(() => execute({ task, leaseHolds: () => false }), Error, "Too late");
});
