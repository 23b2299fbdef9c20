import { assert, assertEquals } from "@std/assert";
import { join, relative } from "@std/path";
import { needing, succeeds } from "../support/capability.ts";
import { cleanEnv, CONFIG, ROOT, skeinArgs, temporaryFolder } from "../support/cli.ts";
import { exists } from "../support/swarm.ts";

const PAGE = Deno.readTextFileSync(join(ROOT, "docs/integration.md"));

/** The blocks of the page in a language, in order. */
function blocks(language: string): string[] {
  return Array.from(
    PAGE.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, "gm")),
    ([, text = ""]) => text,
  );
}

/** Both programs by the names that the page has for them, also for a task that is granted next to nothing. */
function installPrograms(folder: string): string {
  const bin = join(folder, "bin");
  Deno.mkdirSync(bin);
  const cache = Deno.env.get("DENO_DIR");
  const setting = cache === undefined ? "" : `export DENO_DIR='${cache}'\n`;
  for (const [name, words] of [["deno", []], ["skein", skeinArgs([])]] as const) {
    const command = [Deno.execPath(), ...words].map((word) => `'${word}'`).join(" ");
    const text = `#!/bin/sh\n${setting}exec ${command} "$@"\n`;
    Deno.writeTextFileSync(join(bin, name), text, { mode: 0o755 });
  }
  return bin;
}

Deno.test({
  ...needing("docs/integration.md: its commands do what it says, one after another (G3)", {
    "a shell": succeeds("sh", "-c", "command -v env grep sed touch"),
  }),
  async fn() {
    using folder = temporaryFolder();
    // Names with spaces, as a reader's folders may have them.
    const cwd = join(folder.path, "my work");
    Deno.mkdirSync(cwd);
    const checkout = join(folder.path, "my checkout");
    Deno.symlinkSync(ROOT, checkout);
    const [manifest = ""] = blocks("json");
    Deno.writeTextFileSync(join(cwd, "swarm.json"), manifest);
    const scripts = blocks("sh");
    assertEquals(scripts.length, 5);
    // Where JSR cannot be reached the examples need the other configuration.
    const begin = ["set -eu", "server=", "trap '[ -z \"$server\" ] || kill $server' EXIT"];
    const script = [...begin, ...scripts, "server="].join("\n")
      .replaceAll('"$checkout/deno.json"', `"$checkout/${relative(ROOT, CONFIG)}"`)
      .replaceAll('"/path/to/checkout"', `'${checkout}'`);
    assert(script.includes(relative(ROOT, CONFIG)) && script.includes(checkout));
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: ["-c", script],
      cwd,
      env: {
        ...cleanEnv(),
        PATH: `${installPrograms(folder.path)}:${Deno.env.get("PATH")}`,
        NO_COLOR: "1",
      },
      clearEnv: true,
    }).output();
    const decoder = new TextDecoder();
    assertEquals(code, 0, decoder.decode(stderr));
    // What Skein itself answers is JSON here, and differs from run to run.
    const said = decoder.decode(stdout).split("\n").filter((line) => !line.startsWith("{"));
    assertEquals(said.join("\n"), blocks("text").join(""), decoder.decode(stderr));
    assert(exists(join(cwd, "deployed")));
    assert(!exists(join(cwd, "results", "greeting")));
  },
});

Deno.test({
  ...needing("docs/integration.md: a command that could not be started is not said to be late", {
    "a shell": succeeds("sh", "-c", "true"),
  }),
  fn() {
    using folder = temporaryFolder();
    Deno.writeTextFileSync(join(folder.path, "lease"), "");
    const [late = ""] = /^late\(\) \([^]*?^\)$/m.exec(PAGE) ?? [];
    const said = ["sh -c 'exit 4'", "true", "no-such-program"].map((command) => {
      const { stdout } = new Deno.Command("sh", {
        args: ["-c", `${late}\nlate ${command}`],
        cwd: folder.path,
        stderr: "null",
      }).outputSync();
      return new TextDecoder().decode(stdout);
    });
    assertEquals(said, ["late\n", "not refused: 0\n", "not refused: 127\n"]);
  },
});
