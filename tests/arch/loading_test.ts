import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { report } from "../support/figures.ts";
import { loadedBy } from "./loading.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
const ENTRIES = ["main.ts", "src/cli/main.ts"];
/** What a command loads beyond what its file imports. */
const LATE: Readonly<Record<string, readonly string[]>> = { stop: ["src/proc/linux.ts"] };

/** The most modules that a command may load; what it does not use is loaded when it is asked for. */
const MOST = { version: 30, status: 36, stop: 85 } as const;
/** Rooms that these commands have no use for, but for a name and a few words of them. */
const NEVER: readonly RegExp[] = [
  /^src\/store\//,
  /^src\/view\/(?!progress\.ts)/,
  /^src\/engine\/durable\/(?!queue_path\.ts)/,
  /^src\/engine\/(?:run|loop|process_pass)\.ts/,
  /^src\/manifest\/(?!near\.ts|error\.ts)/,
];

for (const [command, most] of Object.entries(MOST)) {
  Deno.test(`skein ${command} loads no package, no room that it does not use, and few modules`, () => {
    const { files, packages } = loadedBy(ROOT, [
      ...ENTRIES,
      `src/cli/${command}.ts`,
      ...LATE[command] ?? [],
    ]);
    assertEquals(packages, []);
    assertEquals(files.filter((file) => NEVER.some((room) => room.test(file))), []);
    assert(files.length <= most, `${files.length} modules: ${files.join(", ")}`);
    report(`skein ${command}: ${files.length} modules`);
  });
}

Deno.test("skein run loads no package and nothing of the queue until its first process", () => {
  const late = ["src/engine/process_pass.ts", "src/proc/linux.ts"];
  const { files, packages } = loadedBy(ROOT, [...ENTRIES, "src/cli/run.ts", ...late]);
  assertEquals(packages, []);
  assertEquals(files.filter((file) => /^src\/(?:store|engine\/durable)\//.test(file)), []);
  report(`skein run: ${files.length} modules`);
});

Deno.test("loadedBy() follows every kind of import, but not of types alone", () => {
  const root = Deno.makeTempDirSync();
  try {
    const write = (name: string, text: string) => Deno.writeTextFileSync(`${root}/${name}`, text);
    write(
      "a.ts",
      [
        'import { b } from "./b.ts";',
        'import type { C } from "./c.ts";',
        "export {",
        "  type D,",
        "  d,",
        '} from "./d.ts";',
        'import "node:fs";',
        'export type { E } from "./e.ts";',
        'export * from "./f.ts";',
        'const later = () => import("./g.ts");',
      ].join("\n"),
    );
    for (const name of ["b", "d", "f"]) write(`${name}.ts`, "");
    assertEquals(loadedBy(root, ["a.ts"]), {
      files: ["a.ts", "b.ts", "d.ts", "f.ts"],
      packages: ["node:fs"],
    });
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
