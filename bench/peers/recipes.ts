/**
 * The same commands as a manifest, a Makefile and a file for ninja.
 *
 * @module
 */
import { WORKERS } from "../graphs.ts";

/** A manifest with one task for each argument that is added to an argv. */
export function manifestOf(argv: readonly string[], args: readonly string[]): string {
  return JSON.stringify({
    version: 1,
    workers: WORKERS,
    blocks: { work: { argv } },
    tasks: args.map((arg, index) => ({
      id: `t${index}`,
      block: "work",
      ...arg === "" ? {} : { args: [arg] },
    })),
  });
}

/** A Makefile with one target for each. */
export function makefileOf(argv: readonly string[], args: readonly string[]): string {
  const targets = args.map((_, index) => `t${index}`);
  const rules = args.map((arg, index) => `t${index}:\n\t@${commandOf(argv, arg)}\n`);
  return `all: ${targets.join(" ")}\n.PHONY: all ${targets.join(" ")}\n${rules.join("")}`;
}

/** A file for ninja with one edge for each. */
export function ninjaOf(argv: readonly string[], args: readonly string[]): string {
  const rules = args.map((arg, index) =>
    `rule r${index}\n  command = ${commandOf(argv, arg)}\nbuild t${index}: r${index}\n`
  );
  return rules.join("");
}

/** The needs of a task of a large manifest. */
export const NEEDS = 5;

/** A manifest whose tasks need the five before them. */
export function largeManifest(count: number): unknown {
  return {
    version: 1,
    blocks: { work: { argv: ["work"] } },
    tasks: Array.from({ length: count }, (_, index) => ({
      id: `t${index}`,
      block: "work",
      needs: Array.from({ length: Math.min(index, NEEDS) }, (_, each) => `t${index - each - 1}`),
    })),
  };
}

/** Everything that the tasks of the only run of a state directory have published. */
export function outputsOf(stateDir: string): string {
  const [run] = Deno.readDirSync(`${stateDir}/runs`);
  const folder = `${stateDir}/runs/${run?.name ?? ""}/output`;
  return [...Deno.readDirSync(folder)].map(({ name }) => Deno.readTextFileSync(`${folder}/${name}`))
    .join("");
}

/** No word of these commands needs a quote. */
function commandOf(argv: readonly string[], arg: string): string {
  return [...argv, arg].join(" ").trim();
}
