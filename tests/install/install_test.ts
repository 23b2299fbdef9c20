import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { needing } from "../support/capability.ts";
import { LONG, type Result } from "../support/cli.ts";
import { sha256 } from "../support/digest.ts";
import { type Case, CASES } from "./cases.ts";
import {
  INSTALL_PS1,
  type Installer,
  INSTALLERS,
  isHere,
  ON_WINDOWS,
  shellInstaller,
} from "./installers.ts";
import { ended, namesIn, published, type Site, VERSION } from "./site.ts";

/** Other shells that may be the system's `sh`. */
const SHELLS = [["dash"], ["bash", "--posix"], ["busybox", "sh"]].map(shellInstaller);

/** Runs the installer for a reason not to install. */
async function attempt(site: Site, reason: Case): Promise<Result> {
  site.placeOld();
  await using _arranged = await reason.arrange(site) ?? { [Symbol.dispose]: () => {} };
  const result = await site.run();
  assertEquals(result.code, reason.code ?? 1, result.stderr);
  assertMatch(result.stderr, reason.says);
  assertEquals(result.stdout, "");
  site.assertOld();
  return result;
}

/** The cases of an installer; under the other shells all of them only in the long form. */
function casesOf(installer: Installer): readonly Case[] {
  const finds = installer.command[0] !== "busybox";
  const own = CASES.filter(({ only, programs }) =>
    (only === undefined || only.script === installer.script) && (finds || programs !== true)
  );
  return LONG || INSTALLERS.includes(installer)
    ? own
    : own.filter(({ title }) => /tampered/.test(title));
}

/** What is driven here. An installer that cannot be is one skip, not one a case. */
const DRIVEN = INSTALLERS.filter((installer) => ON_WINDOWS || isHere(installer));

for (const installer of INSTALLERS.filter((each) => !DRIVEN.includes(each))) {
  const cases = casesOf(installer).length;
  Deno.test({
    ...needing(
      `${installer.name} stands the table of ${cases} cases and installs`,
      installer.needs,
    ),
    fn: () => {},
  });
}

for (const installer of [...DRIVEN, ...SHELLS]) {
  for (const reason of casesOf(installer)) {
    const name = `${installer.name} leaves the old binary when ${reason.title}`;
    const needs = { ...installer.needs, ...reason.needs };
    Deno.test({
      ...needing(name, needs),
      fn: async () => {
        await using site = await published(installer);
        await attempt(site, reason);
        if (!ON_WINDOWS) assertEquals(site.ran, reason.verified === true, "what was run");
      },
    });
  }
}

for (const installer of [...DRIVEN, ...SHELLS]) {
  Deno.test({
    ...needing(`${installer.name} installs the newest release over an old binary`, installer.needs),
    fn: async () => {
      await using site = await published(installer);
      site.placeOld();
      const { code, stdout, stderr } = await site.run();
      assertEquals(code, 0, stderr);
      site.assertNew();
      assertMatch(stdout, ON_WINDOWS ? /is installed: / : /^Skein 9\.9\.9 is installed: /);
      assertStringIncludes(stdout, site.target);
      const paths = ["SHA256SUMS", installer.file].map((name) =>
        `/releases/latest/download/${name}`
      );
      assertEquals(site.server.requests, paths);
    },
  });
}

/** When a signal comes. */
interface Interruption {
  readonly signal: Deno.Signal;
  /** The exit code, where it is fixed. */
  readonly code?: number;
  /** What does not arrive. */
  readonly amid: "the binary" | "the list of digests";
}

function interruptions(installer: Installer): readonly Interruption[] {
  // PowerShell cleans up after Ctrl-C, which one process cannot send to another on Windows.
  if (installer === INSTALL_PS1) return [{ signal: "SIGINT", amid: "the binary" }];
  const term = { signal: "SIGTERM", code: 143 } as const;
  const shown: Interruption[] = [{ ...term, amid: "the binary" }];
  if (!LONG && !INSTALLERS.includes(installer)) return shown;
  return [
    ...shown,
    { signal: "SIGINT", code: 130, amid: "the binary" },
    { signal: "SIGHUP", code: 129, amid: "the binary" },
    { ...term, amid: "the list of digests" },
  ];
}

for (const installer of [...DRIVEN, ...SHELLS]) {
  for (const { signal, code: expected, amid } of interruptions(installer)) {
    const name = `${installer.name} leaves the old binary when ${signal} comes amid ${amid}`;
    Deno.test({
      ...needing(name, { ...installer.needs, signals: !ON_WINDOWS }),
      fn: async () => {
        await using site = await published(installer);
        site.placeOld();
        if (amid === "the binary") site.answer(installer.file, site.genuine, "stall");
        else site.answer("SHA256SUMS", new TextEncoder().encode("0".repeat(64)), "stall");
        const child = site.start();
        await site.server.stalled.promise;
        assertEquals(namesIn(site.binFolder).length, 2, "a private folder beside the old binary");
        child.kill(signal);
        const { code, stderr } = await ended(child);
        if (expected === undefined) assert(code !== 0, stderr);
        else assertEquals(code, expected, stderr);
        site.assertOld();
        // What downloads has ended too.
        await site.server.hungUp.promise;
        assert(!site.ran);
      },
    });
  }
}

for (const installer of DRIVEN) {
  const test = (title: string, fn: (site: Site) => Promise<void>, needs = {}) =>
    Deno.test({
      ...needing(`${installer.name} ${title}`, { ...installer.needs, ...needs }),
      fn: async () => {
        await using site = await published(installer);
        await fn(site);
      },
    });

  test("makes the default folder, and says that it is not on PATH", async (site) => {
    delete site.env.SKEIN_INSTALL_DIR;
    site.binFolder = installer.defaultFolder(site.path("home"));
    const { code, stdout, stderr } = await site.run();
    assertEquals(code, 0, stderr);
    site.assertNew();
    assertStringIncludes(stdout, `${site.binFolder} is not on PATH`);
  });

  test("says that the folder is on PATH, or what comes first there", async (site) => {
    const separator = ON_WINDOWS ? ";" : ":";
    site.env.PATH = `${site.binFolder}${separator}${site.env.PATH}`;
    assertStringIncludes((await site.run()).stdout, `${site.binFolder} is on PATH: skein help`);
    const other = site.path("fakes", installer.binary);
    Deno.copyFileSync(site.target, other);
    site.env.PATH = `${site.path("fakes")}${separator}${site.env.PATH}`;
    assertStringIncludes((await site.run()).stdout, `is on PATH, but ${other} comes first`);
  });

  test("takes the version of an argument, then of SKEIN_VERSION", async (site) => {
    const asked = async () => {
      assertEquals((await site.run()).code, 0);
      return site.server.requests.splice(0)[0];
    };
    site.env.SKEIN_VERSION = VERSION;
    assertEquals(await asked(), `/releases/download/v${VERSION}/SHA256SUMS`);
    site.env.SKEIN_VERSION = "0.0.0";
    site.args.push(`v${VERSION}`);
    assertEquals(await asked(), `/releases/download/v${VERSION}/SHA256SUMS`);
    site.args[0] = "latest";
    assertEquals(await asked(), "/releases/latest/download/SHA256SUMS");
  });

  test("takes the release address that the owner has set", async (site) => {
    const { address } = site.server;
    const set = installer === INSTALL_PS1
      ? `  $ReleaseUrl = '${address}/'`
      : `RELEASE_URL="${address}/"`;
    site.edit(installer.constant, set);
    delete site.env.SKEIN_RELEASE_URL;
    const { code, stderr } = await site.run();
    assertEquals(code, 0, stderr);
    site.assertNew();
  });

  test("reads a list of binary digests, its last line without an end", async (site) => {
    const list = site.server.files.get("/releases/latest/download/SHA256SUMS")?.body;
    site.list(new TextDecoder().decode(list).replaceAll("  ", " *").trimEnd());
    const { code, stderr } = await site.run();
    assertEquals(code, 0, stderr);
    site.assertNew();
  });

  test("reads a list whose lines end as on Windows, behind a byte order mark", async (site) => {
    const digest = await sha256(site.genuine);
    site.list(`\ufeff${digest}  ${installer.file}\r\n${digest}  other\r\n`);
    const { code, stderr } = await site.run();
    assertEquals(code, 0, stderr);
    site.assertNew();
  });

  test("goes where the release leads, by a whole address and by a path", async (site) => {
    const { server } = site;
    server.files.set("/elsewhere", { body: site.genuine });
    server.files.set("/between", { body: new Uint8Array(), location: "/elsewhere" });
    site.lead(installer.file, new URL("/between", server.address).href);
    const { code, stderr } = await site.run();
    assertEquals(code, 0, stderr);
    site.assertNew();
    assertEquals(server.requests.slice(-2), ["/between", "/elsewhere"]);
  });

  test("refuses a folder that has the name of the binary, and leaves it as it is", async (site) => {
    Deno.mkdirSync(site.target);
    const { code, stderr } = await site.run();
    assertEquals(code, 1);
    assertStringIncludes(stderr, "that is a folder");
    assertEquals(namesIn(site.target), []);
    assertEquals(namesIn(site.binFolder), [installer.binary]);
  });

  test("is caught by the table if it does not verify", async (site) => {
    // The same case as above, on a script without its check.
    site.edit(installer.check, installer === INSTALL_PS1 ? "$false" : "  :");
    const reason = CASES.find(({ title }) => title === "the binary was tampered with");
    assert(reason !== undefined);
    const failure = await attempt(site, reason).catch((error) => error);
    assert(failure instanceof Error, "the case did not see it");
    assert(ON_WINDOWS || site.ran);
  });
}
