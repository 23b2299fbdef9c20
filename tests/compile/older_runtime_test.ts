import { assertEquals, assertFalse } from "@std/assert";
import { join } from "@std/path";
import { needing } from "../support/capability.ts";
import { ROOT, temporaryFolder } from "../support/cli.ts";
import { exists } from "../support/swarm.ts";

const isRight = Deno.build.os === "linux" && Deno.build.arch === "x86_64";

/** Runs the tool with an empty cache, and with a program as `npm`. */
function prepare(folder: string, npm: string | null): { code: number; said: string } {
  const programs = join(folder, "bin");
  Deno.mkdirSync(programs);
  for (const name of ["sh", "tar", "gzip", "mkdir"]) {
    Deno.symlinkSync(join("/bin", name), join(programs, name));
  }
  if (npm !== null) Deno.writeTextFileSync(join(programs, "npm"), npm, { mode: 0o755 });
  const { code, stderr } = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "-q", "--no-config", join(ROOT, "tools/npm/older_runtime.ts")],
    env: { PATH: programs, XDG_CACHE_HOME: folder, HOME: folder, NO_COLOR: "1" },
    clearEnv: true,
    stdout: "null",
  }).outputSync();
  return { code, said: new TextDecoder().decode(stderr).trim() };
}

const needs = { "x86_64 Linux": isRight };

Deno.test(needing("older_runtime.ts says what is missing where there is no npm", needs), () => {
  using folder = temporaryFolder();
  assertEquals(prepare(folder.path, null), {
    code: 1,
    said: 'npm does not have it: there is no program "npm"',
  });
});

Deno.test(needing("older_runtime.ts says why npm fails", needs), () => {
  using folder = temporaryFolder();
  assertEquals(prepare(folder.path, "#!/bin/sh\necho 'no network' >&2\nexit 1\n"), {
    code: 1,
    said: "npm does not have it: npm: no network",
  });
});

Deno.test(needing("older_runtime.ts keeps nothing of what is not what was expected", needs), () => {
  using folder = temporaryFolder();
  const npm = [
    "#!/bin/sh",
    "mkdir -p package/bin",
    "echo 'not a runtime' > package/deno",
    "echo 'neither is this' > package/bin/mcp-stress",
    "for name in a b; do tar -czf $name.tgz package && echo $name.tgz; done",
  ].join("\n");
  assertEquals(prepare(folder.path, npm), {
    code: 1,
    said: "what npm has is not what was expected",
  });
  assertFalse(exists(join(folder.path, "skein-older-runtime")));
});
