import { assertEquals } from "@std/assert";
import { nearest } from "../../src/manifest/near.ts";

Deno.test("nearest() finds one slip of the keyboard of every kind", () => {
  for (const slip of ["need", "neeeds", "needz", "neesd", "NEEDS"]) {
    assertEquals(nearest(slip, ["args", "needs", "env"]), "needs", slip);
  }
});

Deno.test("nearest() takes the nearest, and of equally near ones the first", () => {
  assertEquals(nearest("review", ["reviewer", "reviews", "renew"]), "reviews");
  assertEquals(nearest("task-1", ["task-2", "task-3"]), "task-2");
});

Deno.test("nearest() is silent where nothing is near", () => {
  assertEquals(nearest("shell", ["argv", "passes", "cwd"]), null);
  assertEquals(nearest("a", ["b", "c"]), null);
  assertEquals(nearest("", ["a"]), null);
});
