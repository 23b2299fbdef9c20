/**
 * What a reading of the clock costs: the runtime's own clocks, and the system's as foreign functions.
 *
 * @module
 */
Deno.bench("Date.now()", { baseline: true, group: "clock" }, () => {
  Date.now();
});

Deno.bench("performance.now()", { group: "clock" }, () => {
  performance.now();
});

if (Deno.build.os === "linux") {
  const [monotonic, coarse] = [1, 6];
  const { symbols } = Deno.dlopen("libc.so.6", {
    clock_gettime: { parameters: ["i32", "buffer"], result: "i32" },
  });
  const time = new Uint8Array(16);
  Deno.bench("clock_gettime of the C library", { group: "clock" }, () => {
    symbols.clock_gettime(monotonic, time);
  });
  Deno.bench(
    "clock_gettime of the C library, coarse",
    { group: "clock" },
    () => {
      symbols.clock_gettime(coarse, time);
    },
  );
}
