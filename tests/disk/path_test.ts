import { assertEquals } from "@std/assert";
import { absolutePath } from "../../src/disk/mod.ts";

Deno.test("absolutePath() joins what is not there to the current folder, however it is written", () => {
  const expected = `${Deno.cwd()}/skein-not-there`;
  for (const before of ["", "./", ".//", ".///", "././", ".//.//", "././/"]) {
    for (const after of ["", "/", "//"]) {
      assertEquals(absolutePath(`${before}skein-not-there${after}`), expected);
    }
  }
  assertEquals(absolutePath(".skein-not-there"), `${Deno.cwd()}/.skein-not-there`);
});

Deno.test("absolutePath() leaves an absolute path where it is", () => {
  for (const path of ["/skein-not-there", "/skein-not-there/./a", "C:\\\\skein", "//host/skein"]) {
    assertEquals(absolutePath(path), path);
    assertEquals(absolutePath(`${path}/`), path);
  }
});
