import { assertEquals } from "@std/assert";
import { differencesOf } from "../../tools/compile/differences.ts";

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

Deno.test("differencesOf() finds nothing in two that are the same", () => {
  assertEquals(differencesOf(bytes("same"), bytes("same")), []);
});

Deno.test("differencesOf() names each part with its place, and what stands around it", () => {
  const text = `${"-".repeat(100)}1764460000000${"-".repeat(100)}\0\n`;
  const other = text.replace("1764460000000", "1764460012345");
  const [first, ...more] = differencesOf(bytes(text), bytes(other));
  assertEquals([first?.offset, first?.length, more], [108, 5, []]);
  assertEquals(first?.around, `${"-".repeat(32)}1764460000000${"-".repeat(40)}`);
  const near = differencesOf(bytes("a__a"), bytes("b__b"));
  assertEquals(near.map(({ length }) => length), [4]);
  const far = differencesOf(bytes(`a${"_".repeat(20)}a`), bytes(`b${"_".repeat(20)}b`));
  assertEquals(far.map(({ offset }) => offset), [0, 21]);
});

Deno.test("differencesOf() counts what only one of them has", () => {
  const found = differencesOf(bytes("same"), bytes("same, and more"));
  assertEquals(found.map(({ offset, length }) => [offset, length]), [[4, 10]]);
});
