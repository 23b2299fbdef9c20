import { assert, assertEquals, assertFalse } from "@std/assert";
import { isStatic } from "../../src/proc/linux_elf.ts";
import { isWrapper, SetsidLauncher } from "../../src/proc/linux_launch.ts";
import { needing, succeeds } from "../support/capability.ts";
import { temporaryFolder } from "../support/cli.ts";

const NEEDS = { setsid: succeeds("setsid", "true") };

/** A launcher and a folder with a program. */
class Site implements Disposable {
  readonly #folder = temporaryFolder();
  readonly #launcher = new SetsidLauncher();
  readonly program = `${this.#folder.path}/program`;

  constructor() {
    this.write("#!/bin/sh\nexit 0\n");
  }

  write(text: string): void {
    Deno.writeTextFileSync(this.program, text);
    Deno.chmodSync(this.program, 0o755);
  }

  /** Launches it and says who made the session. */
  by(argv = [this.program], env: Record<string, string> = {}): "runtime" | "setsid" {
    const launch = this.#launcher.launch({ argv, cwd: this.#folder.path, env });
    launch.started?.();
    return launch.detached ? "runtime" : "setsid";
  }

  launch(argv: readonly string[], env: Record<string, string> = {}) {
    return this.#launcher.launch({ argv, cwd: this.#folder.path, env });
  }

  get path(): string {
    return this.#folder.path;
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

Deno.test({
  ...needing(
    "SetsidLauncher starts by setsid what it has started before, and as it was named",
    NEEDS,
  ),
  fn() {
    for (const name of [(site: Site) => site.program, () => "./program", () => "program"]) {
      using site = new Site();
      const argv = [name(site), "x y"];
      const env = { PATH: `/nowhere:${site.path}` };
      assertEquals(site.by(argv, env), "runtime", argv[0]);
      const { detached, args } = site.launch(argv, env);
      assertEquals([detached, args.at(-1)], [false, "x y"], argv[0]);
    }
  },
});

Deno.test({
  ...needing(
    "SetsidLauncher leaves to the runtime what was not started, or has changed (G6)",
    NEEDS,
  ),
  fn() {
    using site = new Site();
    assertEquals([site.by(), site.by()], ["runtime", "setsid"]);
    site.write("echo a shell would run this\n");
    assertEquals([site.by(), site.by()], ["runtime", "setsid"]);
    Deno.chmodSync(site.program, 0o644);
    assertEquals([site.by(), site.by()], ["runtime", "runtime"], "it is no program any more");
    Deno.removeSync(site.program);
    assertEquals([site.by(), site.by()], ["runtime", "runtime"], "it is gone");
  },
});

Deno.test({
  ...needing(
    "SetsidLauncher searches the path of the program, and only whole folders of it",
    NEEDS,
  ),
  fn() {
    using site = new Site();
    assertEquals(site.by(["program"], { PATH: site.path }), "runtime");
    assertEquals(site.by(["program"], { PATH: site.path }), "setsid");
    assertEquals(site.by(["program"], { PATH: "/nowhere" }), "runtime");
    assertEquals(site.by(["program"], { PATH: `.:${site.path}` }), "runtime");
    assertEquals(site.by(["program"]), "runtime");
  },
});

const LITTLE_ENDIAN = true;

/** The beginning of a 64-bit ELF file with program headers of these types. */
function elf(types: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(64 + 56 * types.length);
  const view = new DataView(bytes.buffer);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
  view.setBigUint64(32, 64n, LITTLE_ENDIAN);
  view.setUint16(54, 56, LITTLE_ENDIAN);
  view.setUint16(56, types.length, LITTLE_ENDIAN);
  types.forEach((type, index) => view.setUint32(64 + 56 * index, type, LITTLE_ENDIAN));
  return bytes;
}

Deno.test("isStatic() tells a program that names no loader of libraries", () => {
  using site = new Site();
  const files = {
    "no loader": [elf([1, 1, 0x6474e551]), true],
    "a loader": [elf([6, 3, 1]), false],
    "cut off": [elf([1, 1]).slice(0, 130), false],
    "a script": [new TextEncoder().encode(`#!/bin/sh\n${" ".repeat(200)}`), false],
    "32 bits": [elf([1]).fill(1, 4, 5), false],
    empty: [new Uint8Array(), false],
  } as const;
  for (const [what, [bytes, expected]] of Object.entries(files)) {
    Deno.writeFileSync(`${site.path}/file`, bytes);
    assertEquals(isStatic(`${site.path}/file`), expected, what);
  }
  assertFalse(isStatic(`${site.path}/nothing`));
  assertFalse(isStatic(site.path));
});

Deno.test("isWrapper() tells what has not become its program yet from a program of the same name", () => {
  assert(isWrapper("setsid", () => ""));
  assert(isWrapper("busybox", () => "/bin/busybox setsid /bin/true"));
  assertFalse(isWrapper("busybox", () => "busybox sh -c setsid"));
  assertFalse(isWrapper("sh", () => "busybox setsid"));
});

Deno.test("SetsidLauncher takes no busybox that needs libraries, and the runtime's way without any wrapper", () => {
  using site = new Site();
  const bin = `${site.path}/bin`;
  Deno.mkdirSync(bin);
  const wrapperOf = () => {
    const launcher = new SetsidLauncher([bin]);
    const request = { argv: [site.program], cwd: site.path, env: {} };
    launcher.launch(request).started?.();
    const { detached, program } = launcher.launch(request);
    return detached ? null : program;
  };
  const add = (name: string) =>
    Deno.writeTextFileSync(`${bin}/${name}`, "#!/bin/sh\necho setsid\n", {
      mode: 0o755,
    });
  assertEquals(wrapperOf(), null);
  add("busybox");
  assertEquals(wrapperOf(), null);
  add("setsid");
  assertEquals(wrapperOf(), `${bin}/setsid`);
});

Deno.test({
  ...needing("SetsidLauncher prefers a busybox that needs no libraries, if it has the applet", {
    busybox: isStatic("/bin/busybox"),
  }),
  fn() {
    using site = new Site();
    assertEquals(site.by(), "runtime");
    const { program, args } = site.launch([site.program, "x"]);
    assertEquals([program.split("/").at(-1), ...args], ["busybox", "setsid", site.program, "x"]);
  },
});

for (const name of ["setsid", "busybox"]) {
  Deno.test({
    ...needing(`What ${name} starts leads its session and is the very process that was started`, {
      [name]: succeeds(name, ...name === "setsid" ? ["true"] : ["setsid", "true"]),
    }),
    async fn() {
      using site = new Site();
      const bin = `${site.path}/bin`;
      Deno.mkdirSync(bin);
      Deno.symlinkSync(Deno.realPathSync(`/usr/bin/${name}`), `${bin}/${name}`);
      site.write('#!/bin/sh\ncut -d " " -f 6 /proc/$$/stat\n');
      const launcher = new SetsidLauncher([bin]);
      const request = { argv: [site.program], cwd: site.path, env: {} };
      launcher.launch(request).started?.();
      const { program, args } = launcher.launch(request);
      const child = new Deno.Command(program, { args: [...args], stdout: "piped" }).spawn();
      const { stdout } = await child.output();
      assertEquals(program, `${bin}/${name}`);
      assertEquals(new TextDecoder().decode(stdout), `${child.pid}\n`);
    },
  });
}
