import { assertEquals } from "@std/assert";
import { REASONS } from "../../src/reason/mod.ts";
import { statesPage } from "./states_page.ts";

function reasonsPage(): string {
  const codes = Object.entries(REASONS);
  return [
    "# Reasons",
    "",
    "Why a run or a task is in a state: the closed catalogue of codes, as reports, events and the queue's rows carry them.",
    "Every terminal state has one, except success; so has whatever waits after a failure or a loss.",
    "`skein explain CODE` prints the same text.",
    "",
    "This page is generated: `deno task generate`.",
    "",
    "| code | level | meaning |",
    "|---|---|---|",
    ...codes.map(([code, { level, short }]) =>
      `| [\`${code}\`](#${anchorOf(code)}) | ${level} | ${short} |`
    ),
    ...codes.flatMap(([code, { explanation, remedy }]) => [
      "",
      `## ${code}`,
      "",
      explanation,
      "",
      `What to do: ${remedy}.`,
    ]),
    "",
  ].join("\n");
}

function anchorOf(heading: string): string {
  return heading.toLowerCase();
}

const PAGES: Readonly<Record<string, () => string>> = {
  "docs/reference/reasons.md": reasonsPage,
  "docs/reference/states.md": statesPage,
};

for (const [path, page] of Object.entries(PAGES)) {
  Deno.test(`${path} is what the tables say`, async () => {
    const file = new URL(`../../${path}`, import.meta.url);
    const wanted = page();
    if (Deno.args.includes("--update")) await Deno.writeTextFile(file, wanted);
    assertEquals(await Deno.readTextFile(file), wanted, "Update it: deno task generate");
  });
}
