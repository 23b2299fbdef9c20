import { assertEquals } from "@std/assert";
import { SetsidLauncher } from "../../src/proc/linux_launch.ts";
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
