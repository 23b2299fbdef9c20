import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fileOf, GLIBC, TARGETS } from "../../tools/compile/targets.ts";
import { needing, succeeds } from "../support/capability.ts";
import { TOOLS } from "./cases.ts";
import { INSTALL_PS1, INSTALL_SH } from "./installers.ts";
import { ended, namesIn, published, type Site } from "./site.ts";

const forShell = (
  title: string,
  needs: Record<string, boolean>,
  fn: (site: Site) => Promise<void>,
) =>
  Deno.test({
    ...needing(`install.sh ${title}`, { ...INSTALL_SH.needs, ...needs }),
    fn: async () => {
      await using site = await published(INSTALL_SH);
      await fn(site);
    },
  });

for (
  const [client, hasher] of [
    ["wget", "sha256sum"],
    ["curl", "shasum"],
    ["curl", "openssl"],
  ] as const
) {
  const needs = { [client]: succeeds(client, "--version"), [hasher]: succeeds("which", hasher) };
  forShell(
    `installs with ${client} and ${hasher}, and refuses tampered bytes`,
    needs,
    async (site) => {
      site.placeOld();
      // shasum is a script of perl's.
      site.allow(...TOOLS, client, hasher, "env", "perl", "cat");
      const good = site.genuine;
      site.answer(INSTALL_SH.file, good.subarray(1));
      assertEquals((await site.run()).code, 1);
      site.assertOld();
      site.answer(INSTALL_SH.file, good);
      const { code, stderr } = await site.run();
      assertEquals(code, 0, stderr);
      site.assertNew();
    },
  );
}

forShell("leaves the old binary when wget finds nothing, and says what wget said", {
  wget: succeeds("wget", "--version"),
}, async (site) => {
  site.placeOld();
  site.allow(...TOOLS, "wget", "sha256sum");
  site.withdraw(INSTALL_SH.file);
  const { code, stderr } = await site.run();
  assertEquals(code, 1);
  assertMatch(stderr, /404.*\n.*Cannot download/);
  site.assertOld();
});

/** What systems say of themselves, and the binary that each needs. */
const NAMES: readonly (readonly [string, string, Record<string, string>, string])[] = [
  ["Linux", "x86_64", { ldd: "echo 'ldd (Debian GLIBC 2.36-9) 2.36'" }, "x86_64-unknown-linux-gnu"],
  ["Linux", "aarch64", { ldd: "echo 'ldd (GNU libc) 2.38'" }, "aarch64-unknown-linux-gnu"],
  ["Darwin", "x86_64", { sysctl: "echo 0" }, "x86_64-apple-darwin"],
  ["Darwin", "arm64", { sysctl: "echo 0" }, "aarch64-apple-darwin"],
  ["Darwin", "x86_64", { sysctl: "echo 1" }, "aarch64-apple-darwin"],
];

for (const [system, machine, fakes, name] of NAMES) {
  const said = Object.values(fakes).join();
  forShell(`chooses ${name} for ${system} on ${machine} where ${said}`, {}, async (site) => {
    await site.publish(site.binary(), [`skein-${name}`]);
    site.fake("uname", `case $1 in -s) echo ${system} ;; -m) echo ${machine} ;; esac`);
    for (const [program, script] of Object.entries(fakes)) site.fake(program, script);
    // The name is all that counts here.
    site.withdraw(`skein-${name}`);
    assertEquals((await site.run()).code, 1);
    assertEquals(site.server.requests.at(-1), `/releases/latest/download/skein-${name}`);
  });
}

forShell("takes the loader of glibc for a sign of it where there is no ldd", {
  Linux: Deno.build.os === "linux",
}, async (site) => {
  site.allow(...TOOLS.filter((name) => name !== "ldd"), "curl", "sha256sum");
  const { code, stderr } = await site.run();
  assertEquals(code, 0, stderr);
  site.assertNew();
});

forShell("replaces a link, not what it leads to", {}, async (site) => {
  Deno.writeTextFileSync(site.path("elsewhere"), "kept");
  Deno.symlinkSync(site.path("elsewhere"), site.target);
  assertEquals((await site.run()).code, 0);
  assert(Deno.lstatSync(site.target).isFile);
  site.assertNew();
  assertEquals(Deno.readTextFileSync(site.path("elsewhere")), "kept");
});

forShell("takes a folder relative to the caller's", {}, async (site) => {
  site.env.SKEIN_INSTALL_DIR = "-a/b c/";
  site.binFolder = site.path("home", "-a", "b c");
  const { code, stdout, stderr } = await site.run();
  assertEquals(code, 0, stderr);
  assertStringIncludes(stdout, site.target);
  site.assertNew();
});

forShell("prints a line for PATH that is right for any folder", {}, async (site) => {
  const name = `it's "a" $HOME \\ \`b\``;
  site.binFolder = site.path("home", name);
  site.env.SKEIN_INSTALL_DIR = site.binFolder;
  const { stdout, stderr } = await site.run();
  const line = stdout.split("\n").find((each) => each.startsWith("  export PATH="));
  assert(line !== undefined, stdout + stderr);
  const args = ["-c", `PATH='/a b'\n${line}\nprintf %s "$PATH"`];
  const child = new Deno.Command("sh", { args, stdout: "piped", stderr: "piped" }).spawn();
  assertEquals(await ended(child), { code: 0, stdout: `${site.binFolder}:/a b`, stderr: "" });
});

forShell("runs nothing of itself when it was cut off on its way", {}, async (site) => {
  const text = Deno.readTextFileSync(INSTALL_SH.script);
  site.script = site.path("cut.sh");
  for (const share of [0.3, 0.6, 0.9, 0.98]) {
    Deno.writeTextFileSync(site.script, text.slice(0, Math.floor(text.length * share)));
    await site.run();
    assertEquals([site.server.requests, namesIn(site.binFolder)], [[], []]);
  }
});

Deno.test("install.sh and install.ps1 know every binary that is compiled, and the glibc they need", () => {
  const chosen = new Set(NAMES.map(([, , , name]) => name));
  const powerShell = Deno.readTextFileSync(INSTALL_PS1.script);
  for (const target of TARGETS) {
    if (target.includes("-windows-")) assertStringIncludes(powerShell, `'${fileOf(target)}'`);
    else assert(chosen.has(target) && fileOf(target) === `skein-${target}`, target);
  }
  assertStringIncludes(Deno.readTextFileSync(INSTALL_SH.script), `\nGLIBC=${GLIBC}\n`);
});

Deno.test({
  ...needing("install.sh is clean for shellcheck", {
    shellcheck: succeeds("shellcheck", "--version"),
  }),
  fn: async () => {
    const args = ["--shell=sh", INSTALL_SH.script];
    const child = new Deno.Command("shellcheck", { args, stdout: "piped", stderr: "piped" })
      .spawn();
    assertEquals(await ended(child), { code: 0, stdout: "", stderr: "" });
  },
});
