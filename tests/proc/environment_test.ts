import { assertEquals } from "@std/assert";
import { addEntries, BASE_VARIABLES, grantedEnv } from "../../src/proc/mod.ts";

const INHERITED = {
  PATH: "/bin",
  HOME: "/h",
  LC_TIME: "C",
  LCD: "no",
  Path: "windows",
  home: "h",
  SECRET: "s",
  GIT_DIR: "g",
  GITHUB: "h",
  SKEIN_STATE: "own",
  SKEIN_LINEAGE: "own",
};

const GRANTS: readonly (readonly [true | string[], string[]])[] = [
  [[], ["HOME", "LC_TIME", "PATH", "Path", "home"]],
  [["SECRET"], ["HOME", "LC_TIME", "PATH", "Path", "SECRET", "home"]],
  [["secret"], ["HOME", "LC_TIME", "PATH", "Path", "home"]],
  [["GIT_*"], ["GIT_DIR", "HOME", "LC_TIME", "PATH", "Path", "home"]],
  [["GIT*"], ["GITHUB", "GIT_DIR", "HOME", "LC_TIME", "PATH", "Path", "home"]],
  [["SKEIN_*", "SKEIN_STATE"], ["HOME", "LC_TIME", "PATH", "Path", "home"]],
  [["*"], Object.keys(INHERITED).filter((name) => !name.startsWith("SKEIN_")).sort()],
  [true, Object.keys(INHERITED).filter((name) => !name.startsWith("SKEIN_")).sort()],
];

for (const [inheritEnv, expected] of GRANTS) {
  Deno.test(`grantedEnv() with ${JSON.stringify(inheritEnv)} grants what a program needs and what is named (G6)`, () => {
    const granted = grantedEnv(INHERITED, inheritEnv);
    assertEquals(Object.keys(granted).sort(), expected);
    for (const name of expected) {
      assertEquals(granted[name], INHERITED[name as keyof typeof INHERITED]);
    }
  });
}

Deno.test("grantedEnv() takes no name from the prototype", () => {
  assertEquals(Object.getPrototypeOf(grantedEnv({}, [])), null);
  assertEquals(BASE_VARIABLES.includes("PATH"), BASE_VARIABLES.includes("LC_*"));
});

Deno.test("addEntries() lets the later one win, and splits at the first `=`", () => {
  const env: Record<string, string> = { A: "0", B: "0" };
  addEntries(env, ["A=1", "C=x=y=", "A=2", "D=", "E== "]);
  assertEquals(env, { A: "2", B: "0", C: "x=y=", D: "", E: "= " });
});
