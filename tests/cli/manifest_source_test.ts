import { assertEquals, assertFalse, assertRejects, assertStringIncludes } from "@std/assert";
import { decodeManifest, readManifest } from "../../src/cli/manifest_source.ts";
import { LONGEST_TEXT } from "../../src/manifest/mod.ts";
import { SkeinError } from "../../src/model/mod.ts";
import { temporaryFolder } from "../support/cli.ts";

/** Reads with something else in the place of standard input, and says how much of it was taken. */
async function withInput(
  read: (buffer: Uint8Array) => number | null,
  act: () => Promise<unknown>,
): Promise<number> {
  const original = Deno.stdin.read;
  let taken = 0;
  Deno.stdin.read = (buffer) => {
    const length = read(buffer);
    taken += length ?? 0;
    return Promise.resolve(length);
  };
  try {
    await act();
  } finally {
    Deno.stdin.read = original;
  }
  return taken;
}

Deno.test("decodeManifest() reads no more of a stream without an end than a manifest may have", async () => {
  const taken = await withInput((buffer) => buffer.length, async () => {
    const error = await assertRejects(() => decodeManifest("-"), SkeinError);
    assertEquals(error.code, "manifest-unreadable");
    assertEquals(error.message, `Cannot read "-": it has more than ${LONGEST_TEXT} bytes`);
  });
  assertEquals(taken, LONGEST_TEXT + 1);
});

for (const read of [readManifest, decodeManifest]) {
  Deno.test(`${read.name}() does not read a file that is longer than a manifest may be`, async () => {
    using folder = temporaryFolder();
    const path = `${folder.path}/long.json`;
    Deno.writeTextFileSync(path, "");
    Deno.truncateSync(path, LONGEST_TEXT + 1);
    const error = await assertRejects(() => read(path), SkeinError);
    assertEquals(error.code, "manifest-unreadable");
    assertStringIncludes(error.message, `it has ${LONGEST_TEXT + 1} bytes`);
  });
}

for (const read of [readManifest, decodeManifest]) {
  Deno.test(`${read.name}() says how standard input is read where its file may not be opened`, async () => {
    const original = Deno.open;
    Deno.open = () =>
      Promise.reject(new Deno.errors.NotCapable('Requires all access to "/dev/stdin"'));
    try {
      const error = await assertRejects(() => read("/dev/stdin"), SkeinError);
      assertEquals(error.message, 'Cannot read "/dev/stdin": it is a file of the system');
      assertStringIncludes(error.next ?? "", "`-`");
    } finally {
      Deno.open = original;
    }
  });
}

Deno.test("decodeManifest() reads standard input to its end, in pieces of any size", async () => {
  const bytes = new TextEncoder().encode(`{"version": 1, "name": "${"x".repeat(200_000)}"`);
  let at = 0;
  await withInput((buffer) => {
    const piece = bytes.subarray(at, at + Math.min(buffer.length, 7001));
    buffer.set(piece);
    at += piece.length;
    return piece.length === 0 ? null : piece.length;
  }, async () => {
    const decoded = await decodeManifest("-");
    assertFalse(decoded.ok);
  });
  assertEquals(at, bytes.length);
});
