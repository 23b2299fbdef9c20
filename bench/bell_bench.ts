/**
 * What a look at the bell may cost (docs/adr/0004): a read in place, a read at the end, a read by the C library.
 *
 * @module
 */
const path = Deno.makeTempFileSync();
Deno.writeFileSync(path, new Uint8Array(8));
addEventListener("unload", () => Deno.removeSync(path));
const bytes = new Uint8Array(8);
const inPlace = Deno.openSync(path, { read: true });
const atEnd = Deno.openSync(path, { read: true });
atEnd.seekSync(0, Deno.SeekMode.End);

Deno.bench("a read in place: a seek and a read", { baseline: true, group: "bell" }, () => {
  inPlace.seekSync(0, Deno.SeekMode.Start);
  inPlace.readSync(bytes);
});

Deno.bench("a read at the end", { group: "bell" }, () => {
  atEnd.readSync(bytes);
});

if (Deno.build.os === "linux") {
  const { symbols } = Deno.dlopen("libc.so.6", {
    open: { parameters: ["buffer", "i32"], result: "i32" },
    pread: { parameters: ["i32", "buffer", "usize", "i64"], result: "isize" },
  });
  const file = symbols.open(new TextEncoder().encode(`${path}\0`), 0);
  Deno.bench("pread of the C library", { group: "bell" }, () => {
    symbols.pread(file, bytes, 8n, 0n);
  });
}
