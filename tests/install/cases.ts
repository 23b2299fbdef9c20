/**
 * What must not install anything: one table for both installers.
 *
 * @module
 */
import { canForbidReading, succeeds, WITHOUT_ROOT_RIGHTS } from "../support/capability.ts";
import { canMount, SmallDisk } from "../support/namespace.ts";
import { INSTALL_PS1, INSTALL_SH, type Installer, ON_WINDOWS } from "./installers.ts";
import { type Site, VERSION } from "./site.ts";
import { leadFromTls } from "./tls.ts";

/** A reason not to install. */
export interface Case {
  /** The reason. */
  readonly title: string;
  /** What the installer says about it. */
  readonly says: RegExp;
  /** Brings it about; the release is complete and the old binary in place. */
  readonly arrange: (site: Site) => void | Disposable | Promise<void | AsyncDisposable>;
  /** The exit code; 1 where it is not given. */
  readonly code?: number;
  /** The installer that has this reason, where only one does. */
  readonly only?: Installer;
  /** What it needs of this machine. */
  readonly needs?: Readonly<Record<string, boolean>>;
  /** Whether it takes or replaces programs of PATH, where the shell of BusyBox does not look for its own. */
  readonly programs?: boolean;
  /** Whether the binary is verified before, and so is run. */
  readonly verified?: boolean;
}

const READ_ONLY = 0o555;
const WRITABLE = 0o755;
const SMALL_DISK_BYTES = 1 << 15;
const LARGE_DISK_BYTES = 1 << 20;
const FAILS = 7;
const DIGEST = /^[0-9a-f]{64}/gm;
/** What install.sh needs beside a shell, what downloads and what computes digests. */
export const TOOLS: readonly string[] = [
  ...["uname", "ldd", "grep", "mkdir", "mktemp", "rm", "mv", "chmod", "sync", "sed"],
];

function text(site: Site): string {
  const list = site.server.files.get("/releases/latest/download/SHA256SUMS");
  return new TextDecoder().decode(list?.body);
}

/** Bytes that are run as a program where nobody looks at their digest. */
function tampered(site: Site): Uint8Array {
  const bytes = site.genuine.slice();
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  return bytes;
}

const DOWNLOADS: readonly Case[] = [
  {
    title: "the binary is missing from the release",
    says: /Cannot download ".*\/skein-.*404|404.*Cannot download ".*\/skein-/s,
    arrange: (site) => site.withdraw(site.installer.file),
  },
  {
    title: "the list of digests is missing from the release",
    says: /Cannot download ".*\/SHA256SUMS".*404|404.*Cannot download ".*\/SHA256SUMS"/s,
    arrange: (site) => site.withdraw("SHA256SUMS"),
  },
  {
    title: "the connection ends in the middle of the binary",
    says: /Cannot (?:download|trust)/,
    arrange: (site) => site.answer(site.installer.file, site.genuine, "cut"),
  },
  {
    title: "the connection ends in the middle of the list",
    says: /Cannot (?:download|verify)/,
    arrange: (site) => site.answer("SHA256SUMS", new TextEncoder().encode(text(site)), "cut"),
  },
  {
    title: "the binary is truncated on the server",
    says: /Cannot trust/,
    arrange: (site) => site.answer(site.installer.file, site.genuine.subarray(0, -1)),
  },
  {
    title: "the binary is empty",
    says: /Cannot trust/,
    arrange: (site) => site.answer(site.installer.file, new Uint8Array()),
  },
  {
    title: "the binary was tampered with",
    says: /Cannot trust .*its digest is [0-9a-f]{64}, SHA256SUMS says [0-9a-f]{64}/,
    arrange: (site) => site.answer(site.installer.file, tampered(site)),
  },
  {
    title: "the list has the digest of something else",
    says: /Cannot trust/,
    arrange: (site) => site.list(text(site).replace(DIGEST, "0".repeat(64))),
  },
  {
    title: "the list does not name the binary",
    says: /SHA256SUMS" does not name "skein-/,
    arrange: (site) => site.list(text(site).replaceAll(site.installer.file, "skein")),
  },
  {
    title: "the list names the binary as a part of another name only",
    says: /SHA256SUMS" does not name "skein-/,
    arrange: (site) => site.list(text(site).replace(site.installer.file, "$&.old")),
  },
  {
    title: "the list names the binary twice",
    says: /SHA256SUMS" names "skein-.*" twice/,
    arrange: (site) => site.list(text(site) + text(site)),
  },
  {
    title: "the list has a digest of another kind",
    says: /has no SHA-256 digest for "skein-/,
    arrange: (site) => site.list(text(site).replace(DIGEST, "0".repeat(40))),
  },
  {
    title: "the list has no digest before the name",
    says: /has no SHA-256 digest|does not name/,
    arrange: (site) => site.list(text(site).replace(DIGEST, "")),
  },
  {
    title: "the list is empty",
    says: /SHA256SUMS" does not name "skein-/,
    arrange: (site) => site.list(""),
  },
  {
    title: "the server is not there",
    says: /Cannot download ".*\/SHA256SUMS"/,
    arrange: (site) => site.server[Symbol.asyncDispose](),
  },
  {
    title: "the version is not there",
    says: /Cannot download ".*\/download\/v0\.0\.0\/SHA256SUMS"/,
    arrange: (site) => void (site.env.SKEIN_VERSION = "0.0.0"),
  },
  {
    title: "the binary is genuine, but does not start",
    says: /Cannot use .* does not start on this system/,
    arrange: (site) => site.publish(site.binary(FAILS)),
    verified: true,
  },
];

const LEADS: readonly Case[] = [
  {
    title: "a closed connection leads to an open one",
    says: /it leads to "http:\/\/127\.0\.0\.1:.*", which does not begin with https:/,
    needs: { openssl: succeeds("openssl", "version"), "certificates by a file": !ON_WINDOWS },
    arrange: leadFromTls,
  },
  {
    title: "a connection within this machine leads to another one",
    says: /it leads to "http:\/\/example\.invalid\/x", which does not begin with https:/,
    arrange: (site) => site.lead("SHA256SUMS", "http://example.invalid/x"),
  },
  {
    title: "the release leads on without an end",
    says: /it leads on more than 5 times/,
    arrange: (site) => site.lead("SHA256SUMS", `${site.server.address}/latest/download/SHA256SUMS`),
  },
];

/** The same with the other client. */
const LEADS_OF_WGET: readonly Case[] = LEADS.map((reason) => ({
  ...reason,
  title: `${reason.title}, and only wget is here`,
  only: INSTALL_SH,
  programs: true,
  needs: { ...reason.needs, wget: succeeds("wget", "--version") },
  arrange: (site: Site) => {
    site.allow(...TOOLS, "wget", "sha256sum");
    return reason.arrange(site);
  },
}));

const PLACES: readonly Case[] = [
  {
    title: "the folder cannot be written to",
    says: /Cannot write to the folder ".*my bin"/,
    needs: { "a folder that is read-only": canForbidReading() },
    arrange: (site) => {
      site.through = WITHOUT_ROOT_RIGHTS;
      Deno.chmodSync(site.binFolder, READ_ONLY);
      return { [Symbol.dispose]: () => Deno.chmodSync(site.binFolder, WRITABLE) };
    },
  },
  {
    title: "the folder is a file",
    says: /Cannot (?:make|write to) the folder ".*skein(?:\.exe)?"/,
    arrange: (site) => void (site.env.SKEIN_INSTALL_DIR = site.target),
  },
  {
    title: "the disk is full",
    says: /Cannot download "[^\n]*(?:the disk of the folder ".*my bin" is full|space)/,
    needs: { "a small disk": canMount() },
    arrange: (site) => {
      const disk = new SmallDisk(site.binFolder, SMALL_DISK_BYTES);
      site.placeOld();
      return disk;
    },
  },
  {
    title: "no program starts in the folder",
    says: /no program starts in the folder ".*my bin", which may be mounted noexec/,
    only: INSTALL_SH,
    needs: { "a small disk": canMount() },
    arrange: (site) => {
      const disk = new SmallDisk(site.binFolder, LARGE_DISK_BYTES);
      succeeds("mount", "-o", "remount,noexec", site.binFolder);
      site.placeOld();
      return disk;
    },
  },
  ...([[INSTALL_SH, ":"], [INSTALL_PS1, ";"]] as const).map(([only, divider]) => ({
    title: `the path of the folder has what divides the folders of PATH, "${divider}"`,
    says: /cannot be on PATH\n.*SKEIN_INSTALL_DIR/,
    only,
    arrange: (site: Site) =>
      void (site.env.SKEIN_INSTALL_DIR = site.path("home", `one${divider}two`)),
  })),
  {
    title: "the old binary cannot be replaced",
    says: /Cannot write ".*skein(?:\.exe)?"/,
    needs: { "files that nothing changes": canMakeImmutable() },
    arrange: (site) => {
      succeeds("chattr", "+i", site.target);
      return { [Symbol.dispose]: () => void succeeds("chattr", "-i", site.target) };
    },
    verified: true,
  },
  {
    title: "neither SKEIN_INSTALL_DIR nor the folder of the user is known",
    says: /Cannot choose a folder/,
    arrange: (site) => {
      const home = site.installer === INSTALL_PS1 ? "LOCALAPPDATA" : "HOME";
      for (const name of ["SKEIN_INSTALL_DIR", home]) site.env[name] = "";
    },
  },
];

function canMakeImmutable(): boolean {
  const path = Deno.makeTempFileSync();
  try {
    return succeeds("chattr", "+i", path) && succeeds("chattr", "-i", path);
  } finally {
    Deno.removeSync(path);
  }
}

const WISHES: readonly Case[] = [
  {
    title: "no address of the releases is known",
    says: /no address of the releases is known\n.*Set SKEIN_RELEASE_URL/,
    arrange: (site) => {
      delete site.env.SKEIN_RELEASE_URL;
      // The owner may have set one: a test must not go there.
      site.edit(
        site.installer.constant,
        site.installer === INSTALL_PS1 ? "  $ReleaseUrl = ''" : "RELEASE_URL=",
      );
    },
  },
  ...[
    "http://example.invalid/releases",
    "http://127.0.0.1:1@example.invalid/releases",
    "http://127.0.0.1.example.invalid/releases",
    "ftp://127.0.0.1/releases",
    "releases",
  ].map((address) => ({
    title: `the address of the releases is ${address}`,
    says: /must begin with https:/,
    arrange: (site: Site) => void (site.env.SKEIN_RELEASE_URL = address),
  })),
  ...["../../1.0.0", "1 0", "-1"].map((version) => ({
    title: `the version is "${version}"`,
    says: /that is not a version/,
    arrange: (site: Site) => void (site.env.SKEIN_VERSION = version),
  })),
  {
    title: "two versions are given",
    says: /Usage/,
    only: INSTALL_SH,
    code: 2,
    arrange: (site) => void site.args.push(VERSION, VERSION),
  },
];

/** A Linux that says nothing of itself but what is given here. */
function linux(site: Site, machine: string, ldd: string): void {
  site.fake("uname", `case $1 in -s) echo Linux ;; -m) echo ${machine} ;; esac`);
  site.fake("ldd", ldd);
}

const SYSTEMS: readonly Case[] = [
  ...[["FreeBSD", "amd64"], ["Linux", "riscv64"], ["Linux", "armv7l"], ["SunOS", "x86_64"]].map((
    [system, machine],
  ) => ({
    title: `the system is ${system} on ${machine}`,
    says: new RegExp(`no binary for ${system} on ${machine}`),
    only: INSTALL_SH,
    arrange: (site: Site) =>
      site.fake("uname", `case $1 in -s) echo ${system} ;; -m) echo ${machine} ;; esac`),
  })),
  {
    title: "the system is a POSIX shell of Windows",
    says: /install\.ps1/,
    only: INSTALL_SH,
    arrange: (site) =>
      site.fake("uname", "case $1 in -s) echo MINGW64_NT-10.0 ;; *) echo x86_64 ;; esac"),
  },
  {
    title: "the system uses musl",
    says: /need glibc 2\.\d+ or newer, and this Linux uses musl/,
    only: INSTALL_SH,
    // As Alpine's says it: on standard error, and as a failure.
    arrange: (site) =>
      linux(site, "x86_64", "echo 'musl libc (x86_64)\nVersion 1.2.5' >&2; exit 1"),
  },
  {
    title: "the system has no loader of glibc and no ldd",
    says: /need glibc 2\.\d+ or newer, and this Linux has no "\/lib.*\/ld-linux-/,
    only: INSTALL_SH,
    needs: { "a machine without the other processor's loader": foreignMachine() !== null },
    arrange: (site) => linux(site, foreignMachine() ?? "", "exit 127"),
  },
  {
    title: "the system is not Windows",
    says: /this script is for Windows/,
    only: INSTALL_PS1,
    arrange: (site) => void (site.env.OS = ""),
  },
  {
    title: "the system is Windows on x86",
    says: /no binary for Windows on x86/,
    only: INSTALL_PS1,
    arrange: (site) => void (site.env.PROCESSOR_ARCHITECTURE = "x86"),
  },
  {
    title: "nothing here downloads",
    says: /neither curl nor GNU wget/,
    only: INSTALL_SH,
    arrange: (site) => site.allow(...TOOLS, "sha256sum"),
  },
  {
    title: "what downloads does not look whom it is connected to",
    says: /neither curl nor GNU wget/,
    only: INSTALL_SH,
    arrange: (site) => {
      site.allow(...TOOLS, "sha256sum");
      site.fake("wget", "echo 'BusyBox v1.36.1 multi-call binary.'");
    },
  },
  {
    title: "nothing here computes digests",
    says: /none of sha256sum, shasum and openssl/,
    only: INSTALL_SH,
    arrange: (site) => site.allow(...TOOLS, "curl"),
  },
];

/** A machine whose loader this one lacks; null where it has both. */
function foreignMachine(): string | null {
  const loaders = { x86_64: "/lib64/ld-linux-x86-64.so.2", aarch64: "/lib/ld-linux-aarch64.so.1" };
  return Object.entries(loaders).find(([, path]) => !succeeds("test", "-e", path))?.[0] ?? null;
}

/** Every reason. */
export const CASES: readonly Case[] = [
  ...DOWNLOADS,
  ...LEADS,
  ...LEADS_OF_WGET,
  ...PLACES,
  ...WISHES,
  ...SYSTEMS.map((reason) => ({ ...reason, programs: reason.only === INSTALL_SH })),
];
