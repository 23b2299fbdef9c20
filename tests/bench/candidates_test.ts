import { prepare } from "../../bench/candidates.ts";
import { SHAPES } from "../../bench/graphs.ts";

const COUNTS = [2, 3, 50];

for (const shape of SHAPES) {
  Deno.test(`every candidate runs every task, again and again, ${shape}`, async () => {
    for (const count of COUNTS) {
      for (const run of Object.values(prepare(shape, count))) {
        await run();
        await run();
      }
    }
  });
}
