import { assert, assertEquals, assertThrows } from "@std/assert";
import { compareVersions, glibcNeeded } from "../../tools/compile/glibc.ts";
import { GLIBC } from "../../tools/compile/targets.ts";
import { needing, succeeds } from "../support/capability.ts";
import { temporaryFolder } from "../support/cli.ts";

const isLinux = Deno.build.os === "linux" && Deno.build.target.endsWith("-gnu");

Deno.test(
  needing("glibcNeeded() reads what the runtime itself needs, no more than the documents say", {
    "a runtime for glibc": isLinux,
  }),
  () => {
    const needed = glibcNeeded(Deno.readFileSync(Deno.execPath()));
    assert(needed !== null);
    assert(compareVersions(needed, GLIBC) <= 0, `it needs ${needed}, and ${GLIBC} is documented`);
  },
);

Deno.test(
  needing("glibcNeeded() finds the newest version that a program asks for", {
    "a C compiler": isLinux && succeeds("cc", "--version") && succeeds("readelf", "--version"),
  }),
  () => {
    using folder = temporaryFolder();
    const [source, program] = [`${folder.path}/a.c`, `${folder.path}/a`];
    // `quick_exit` came with 2.10, `memcpy` changed with 2.14 on x86_64.
    Deno.writeTextFileSync(source, "#include <stdlib.h>\nint main(void) { quick_exit(0); }\n");
    assert(succeeds("cc", "-o", program, source));
    const { stdout } = new Deno.Command("readelf", { args: ["-V", "-W", program] }).outputSync();
    const versions = new TextDecoder().decode(stdout).matchAll(/Name: GLIBC_([\d.]+)/g);
    const newest = Array.from(versions, ([, version = ""]) => version).sort(compareVersions).at(-1);
    assertEquals(glibcNeeded(Deno.readFileSync(program)), newest);
  },
);

Deno.test(
  needing("glibcNeeded() answers null for a program that needs no library", {
    "a C compiler": isLinux && succeeds("cc", "--version"),
  }),
  () => {
    using folder = temporaryFolder();
    const [source, program] = [`${folder.path}/a.c`, `${folder.path}/a`];
    Deno.writeTextFileSync(source, "void _start(void) { for (;;) {} }\n");
    assert(succeeds("cc", "-static", "-nostdlib", "-o", program, source));
    assertEquals(glibcNeeded(Deno.readFileSync(program)), null);
  },
);

Deno.test("glibcNeeded() refuses what is no ELF file", () => {
  assertThrows(
    () => glibcNeeded(new TextEncoder().encode("MZ, or a shell script")),
    Error,
    "no ELF",
  );
  assertThrows(() => glibcNeeded(new Uint8Array()), Error, "no ELF");
});

Deno.test("compareVersions() compares numbers, not letters", () => {
  assertEquals(["2.9", "2.27", "2.2.5", "2.17"].sort(compareVersions), [
    "2.2.5",
    "2.9",
    "2.17",
    "2.27",
  ]);
  assertEquals(compareVersions("2.17", "2.17"), 0);
});
