import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  type CarriedLease,
  carriedLease,
  type CarriedLeaseRead,
  leaseValid,
} from "../../src/model/mod.ts";

const ENV: Readonly<Record<string, string>> = {
  SKEIN_RUN_ID: "r",
  SKEIN_TASK_ID: "a task",
  SKEIN_PASS: "2",
  SKEIN_ATTEMPT: "3",
  SKEIN_EPOCH: "4",
  SKEIN_SEQUENCE: "9",
};
const LEASE: CarriedLease = {
  runId: "r",
  taskId: "a task",
  pass: 2,
  attempt: 3,
  epoch: 4,
  sequence: 9,
};
const NUMBERS = ["SKEIN_PASS", "SKEIN_ATTEMPT", "SKEIN_EPOCH", "SKEIN_SEQUENCE", "SKEIN_TOKEN"];
const NO_NUMBERS = ["", "0", "-1", "1.5", "1e3", " 1", "1 ", "0x1", "NaN", "9007199254740992", "١"];

function read(env: Readonly<Record<string, string>>): CarriedLeaseRead {
  return carriedLease((name) => env[name]);
}

Deno.test("carriedLease() reads a whole lease, with a token and without", () => {
  assertEquals(read(ENV), { ok: true, lease: LEASE });
  assertEquals(read({ ...ENV, SKEIN_TOKEN: "7" }), { ok: true, lease: { ...LEASE, token: 7 } });
  assert(leaseValid({ ...LEASE, issuedAt: "" }, 4));
});

Deno.test("carriedLease() refuses an environment without a lease, and names every variable", () => {
  const none = read({});
  for (const name of Object.keys(ENV)) {
    assertStringIncludes(none.ok ? "" : none.problem, `${name} is not set`);
    const { [name]: _, ...rest } = ENV;
    const refused: CarriedLeaseRead = { ok: false, problem: `${name} is not set` };
    assertEquals([read(rest), read({ ...ENV, [name]: "" })], [refused, refused]);
  }
});

Deno.test("carriedLease() refuses whatever is no whole number above zero, an empty token too (G3)", () => {
  for (const name of NUMBERS) {
    for (const value of NO_NUMBERS) {
      const carried = read({ ...ENV, [name]: value });
      assertStringIncludes(carried.ok ? "whole" : carried.problem, name, `${name}=${value}`);
    }
  }
});
