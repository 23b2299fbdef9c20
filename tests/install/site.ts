/**
 * A user's folders beside a release on a server, and an installer between them.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { cleanEnv, type Result } from "../support/cli.ts";
import { randomBytes, sha256 } from "../support/digest.ts";
import { type Installer, ON_WINDOWS } from "./installers.ts";
import { ReleaseServer } from "./release_server.ts";

/** The version of the release, which its binary says. */
export const VERSION = "9.9.9";
/** What is installed before. */
export const OLD: Uint8Array = new TextEncoder().encode("the old binary\n");

const PADDING_BYTES = 1 << 16;
const EXECUTABLE = 0o755;
const POWERSHELLS =
  /^(?:CoreFxPipe_|clr-debug-pipe|dotnet-diagnostic|\.dotnet|__PSScriptPolicyTest)/;

/** One user, one server. */
export class Site implements AsyncDisposable {
  /** The installer. */
  readonly installer: Installer;
  /** Has the release. */
  readonly server: ReleaseServer = new ReleaseServer();
  /** What the installer is given. */
  readonly args: string[] = [];
  /** Variables of the installer. */
  readonly env: Record<string, string>;
  /** A program that starts the installer, with its arguments. */
  through: readonly string[] = [];
  /** The binary of the release. */
  genuine: Uint8Array = new Uint8Array();
  /** The script, which a test may change. */
  script: string;
  /** Where binaries go. */
  binFolder: string;
  readonly #folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "skein-install-" }));

  /** Makes the folders. */
  constructor(installer: Installer) {
    this.installer = installer;
    this.script = installer.script;
    this.binFolder = this.path("home", "my bin");
    for (const name of ["home", "fakes", "tmp", "home/my bin"]) Deno.mkdirSync(this.path(name));
    this.env = {
      ...cleanEnv(),
      ...installer.system(this.path("home")),
      TMPDIR: this.path("tmp"),
      no_proxy: "127.0.0.1",
      SKEIN_RELEASE_URL: this.server.address,
      SKEIN_INSTALL_DIR: this.binFolder,
    };
  }

  /** A path in the folder of this test. */
  path(...parts: string[]): string {
    return join(this.#folder, ...parts);
  }

  /** Where the binary goes. */
  get target(): string {
    return join(this.binFolder, this.installer.binary);
  }

  /** Whether a binary of the release was run. */
  get ran(): boolean {
    return namesIn(this.#folder).includes("ran");
  }

  /** A binary that says its version, or fails. */
  binary(code = 0): Uint8Array {
    if (ON_WINDOWS) return windowsBinary(code);
    const script = `#!/bin/sh
echo ran >'${this.path("ran")}'
[ "$1" = version ] || exit 9
echo '{"skein":"${VERSION}"}'
echo 'This is what it says' >&2
exit ${code}
`;
    return joined(new TextEncoder().encode(script), randomBytes(PADDING_BYTES));
  }

  /** Publishes a binary for every name, as the newest release and under its version. */
  async publish(
    binary: Uint8Array,
    files: readonly string[] = [this.installer.file],
  ): Promise<void> {
    this.genuine = binary;
    const digest = await sha256(binary);
    this.list(["other", ...files].map((file) => `${digest}  ${file}\n`).join(""));
    for (const file of files) this.answer(file, binary);
  }

  /** Publishes a list of digests. */
  list(text: string): void {
    this.answer("SHA256SUMS", new TextEncoder().encode(text));
  }

  /** Publishes a file. */
  answer(name: string, body: Uint8Array, halfway?: "cut" | "stall"): void {
    for (const path of releasePaths(name)) {
      this.server.files.set(path, { body, ...(halfway === undefined ? {} : { halfway }) });
    }
  }

  /** Lets a file of the release lead on to an address. */
  lead(name: string, location: string): void {
    const body = new TextEncoder().encode("It is elsewhere\n");
    for (const path of releasePaths(name)) this.server.files.set(path, { body, location });
  }

  /** Takes a file away. */
  withdraw(name: string): void {
    for (const path of releasePaths(name)) this.server.files.delete(path);
  }

  /** Installs the old binary, by hand. */
  placeOld(): void {
    Deno.writeFileSync(this.target, OLD, { mode: EXECUTABLE });
  }

  /** Puts a program before the ones of the system. */
  fake(name: string, script: string): void {
    Deno.writeTextFileSync(this.path("fakes", name), `#!/bin/sh\n${script}\n`, {
      mode: EXECUTABLE,
    });
    const fakes = this.path("fakes");
    if (!this.env.PATH?.startsWith(fakes)) this.env.PATH = `${fakes}:${this.env.PATH}`;
  }

  /** Leaves the installer only some programs of the system. */
  allow(...names: string[]): void {
    const tools = this.path("tools");
    Deno.mkdirSync(tools);
    for (const name of names) {
      const found = programPath(name);
      if (found !== name) Deno.symlinkSync(found, join(tools, name));
    }
    this.env.PATH = tools;
  }

  /** Changes the script at the one place that matches. */
  edit(what: RegExp, to: string): void {
    const text = Deno.readTextFileSync(this.script);
    assertEquals(text.match(what)?.length, 1, `${what} in ${this.script}`);
    this.script = this.path(`edited-${this.installer.script.split(/[/\\]/).at(-1)}`);
    Deno.writeTextFileSync(this.script, text.replace(what, () => to));
  }

  /** Starts the installer. */
  start(): Deno.ChildProcess {
    const [program = "", ...args] = [
      ...this.through,
      ...this.installer.command,
      this.script,
      ...this.args,
    ];
    return new Deno.Command(programPath(program), {
      args,
      cwd: this.path("home"),
      env: this.env,
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  }

  /** Runs the installer to its end. */
  async run(): Promise<Result> {
    return await ended(this.start());
  }

  /** Asserts that the folder has the old binary as it was, and nothing else is left anywhere. */
  assertOld(): void {
    assertEquals(Deno.readFileSync(this.target), OLD);
    if (!ON_WINDOWS) assertEquals((Deno.statSync(this.target).mode ?? 0) & 0o777, EXECUTABLE);
    this.#assertNothingElse();
  }

  /** Asserts that the folder has the binary of the release, and nothing else is left anywhere. */
  assertNew(): void {
    assert(
      equal(Deno.readFileSync(this.target), this.genuine),
      "the binary of the release is installed",
    );
    if (!ON_WINDOWS) assertEquals((Deno.statSync(this.target).mode ?? 0) & 0o777, EXECUTABLE);
    this.#assertNothingElse();
  }

  #assertNothingElse(): void {
    assertEquals(namesIn(this.binFolder), [this.installer.binary]);
    // PowerShell itself may leave something there.
    assertEquals(namesIn(this.path("tmp")).filter((name) => !POWERSHELLS.test(name)), []);
  }

  /** Ends the server and removes the folders. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.server[Symbol.asyncDispose]();
    } finally {
      Deno.removeSync(this.#folder, { recursive: true });
    }
  }
}

/** A user without Skein, and a complete release. */
export async function published(installer: Installer): Promise<Site> {
  const site = new Site(installer);
  await site.publish(site.binary());
  return site;
}

/** What a process comes to. */
export async function ended(child: Deno.ChildProcess): Promise<Result> {
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** The names in a folder, sorted. */
export function namesIn(folder: string): string[] {
  return Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
}

/** `assertEquals` would print every byte. */
function equal(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

function releasePaths(name: string): string[] {
  return [`/releases/latest/download/${name}`, `/releases/download/v${VERSION}/${name}`];
}

/** Where a program of this machine is; its name where that is not known. */
function programPath(name: string): string {
  const folders = ON_WINDOWS ? [] : (Deno.env.get("PATH") ?? "").split(":");
  return folders.map((folder) => join(folder, name)).find(isFile) ?? name;
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return whole;
}

/** The command interpreter ends well when it has nothing to read; other bytes are no program at all. */
function windowsBinary(code: number): Uint8Array {
  const padding = randomBytes(PADDING_BYTES);
  if (code !== 0) return padding;
  const system = Deno.env.get("SystemRoot") ?? "";
  return joined(Deno.readFileSync(join(system, "System32", "cmd.exe")), padding);
}
