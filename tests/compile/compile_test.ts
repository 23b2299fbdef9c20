import { assertEquals } from "@std/assert";
import { describe, writeSums } from "../../tools/compile/compile.ts";
import { needing, succeeds } from "../support/capability.ts";
import { temporaryFolder } from "../support/cli.ts";

Deno.test("describe() says the size, what has made it and what it needs", () => {
  const binary = {
    path: "dist/skein",
    bytes: 97_465_776,
    glibc: "2.27",
    compiler: "Deno 2.9.6",
  };
  assertEquals(
    describe(binary),
    "dist/skein: 93.0 MiB (97465776 bytes), Deno 2.9.6, glibc 2.27 or newer",
  );
  assertEquals(
    describe({ ...binary, glibc: null }),
    "dist/skein: 93.0 MiB (97465776 bytes), Deno 2.9.6",
  );
});

const needs = { sha256sum: succeeds("sha256sum", "--version") };

Deno.test(
  needing("writeSums() writes what sha256sum checks, of the binaries and nothing else", needs),
  async () => {
    using folder = temporaryFolder();
    const write = (name: string, text: string) =>
      Deno.writeTextFileSync(`${folder.path}/${name}`, text);
    write("skein-b", "two");
    write("skein-a", "one");
    write("notes.txt", "none of it");
    const text = await writeSums(folder.path);
    assertEquals(text.split("\n").map((line) => line.slice(64)), ["  skein-a", "  skein-b", ""]);
    assertEquals(Deno.readTextFileSync(`${folder.path}/SHA256SUMS`), text);
    const check = () =>
      new Deno.Command("sha256sum", {
        args: ["--check", "--strict", "SHA256SUMS"],
        cwd: folder.path,
      })
        .outputSync().code;
    assertEquals(check(), 0);
    write("skein-a", "One");
    assertEquals(check(), 1);
  },
);
