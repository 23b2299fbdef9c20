import { fileNameOf, LONGEST_FILE_NAME, MANIFEST_LIMITS } from "../model/mod.ts";
import { cycleOf } from "./cycle.ts";
import { linkGraph, type Links } from "./graph.ts";
import { meant } from "./near.ts";
import type { Path, Problem } from "./problem.ts";
import { INPUT_SOURCES } from "./input.ts";

type Members = Readonly<Record<string, unknown>>;

/** Near names are looked for this often: a manifest of wrong names only must not take a minute. */
const MOST_SUGGESTIONS = 100;

/**
 * What the structure of a manifest cannot show: names that are no block's or task's, repeated ones, cycles,
 * bounds that depend on other keys. The value may have any structure, so that all problems come at once: what is
 * not of the right type is passed over here.
 */
export function checkReferences(value: unknown): References {
  const check = new ReferenceCheck(membersOf(value));
  const links = check.run();
  return { problems: check.problems, links };
}

/** What a look at the names of a manifest gives. */
export interface References {
  /** What is wrong. */
  readonly problems: readonly Problem[];
  /** How its tasks hang together, as far as their names go. */
  readonly links: Links;
}

class ReferenceCheck {
  readonly problems: Problem[] = [];
  readonly #blocks: Members | null;
  readonly #tasks: readonly Members[];
  readonly #mostPasses: number;
  /** The first task of each id. */
  readonly #indexOf = new Map<string, number>();
  /** The last task that listed a task in its needs, plus one. */
  readonly #neededBy: Int32Array;
  /** How many needs each task has, and all needs by number: without own and repeated ones. */
  readonly #indegree: Int32Array;
  readonly #edges: number[] = [];
  #suggestions = 0;

  constructor(manifest: Members) {
    const { blocks, tasks, limits } = manifest;
    this.#blocks = isObject(blocks) ? blocks : null;
    this.#tasks = Array.isArray(tasks) ? tasks.map(membersOf) : [];
    this.#neededBy = new Int32Array(this.#tasks.length);
    this.#indegree = new Int32Array(this.#tasks.length);
    const { maxPasses } = membersOf(limits);
    this.#mostPasses = typeof maxPasses === "number" && maxPasses > 0
      ? maxPasses
      : MANIFEST_LIMITS.maxPasses.default;
  }

  run(): Links {
    for (const [name, block] of Object.entries(this.#blocks ?? {})) {
      this.#passes(membersOf(block)["passes"], () => ["blocks", name, "passes"]);
    }
    this.#tasks.forEach((task, index) => this.#id(task["id"], index));
    this.#tasks.forEach((task, index) => this.#task(task, index));
    const links = linkGraph(this.#indexOf, this.#indegree, this.#edges);
    this.#cycle(links);
    return links;
  }

  #id(id: unknown, index: number): void {
    if (typeof id !== "string") return;
    const first = this.#indexOf.get(id);
    if (first === undefined) this.#indexOf.set(id, index);
    else {
      const path = ["tasks", index, "id"];
      this.#report("repeated-id", `Repeated task id ${quote(id)}`, path, ["tasks", first, "id"]);
    }
    // No character takes more than nine in a file name, so short ids need no look.
    if (id.length * 9 <= LONGEST_FILE_NAME || !id.isWellFormed()) return;
    const { length } = fileNameOf(id);
    if (length > LONGEST_FILE_NAME) {
      const message =
        `Expected a task id whose file name has at most ${LONGEST_FILE_NAME} characters, found ${length}`;
      this.#report("long-id", message, ["tasks", index, "id"]);
    }
  }

  #task(task: Members, index: number): void {
    const { block } = task;
    if (typeof block === "string" && this.#blocks !== null && !Object.hasOwn(this.#blocks, block)) {
      const message = `Unknown block ${quote(block)}${
        this.#meant(block, Object.keys(this.#blocks))
      }`;
      this.#report("unknown-block", message, ["tasks", index, "block"]);
    }
    if (Array.isArray(task["needs"])) this.#needs(task["id"], task["needs"], index);
    this.#input(task, index);
    this.#passes(task["passes"], () => ["tasks", index, "passes"]);
  }

  #needs(id: unknown, needs: readonly unknown[], index: number): void {
    for (let position = 0; position < needs.length; position++) {
      const need = needs[position];
      const found = typeof need === "string" && need !== id ? this.#indexOf.get(need) : undefined;
      if (found !== undefined && this.#neededBy[found] !== index + 1) {
        this.#neededBy[found] = index + 1;
        this.#edges.push(found);
        this.#indegree[index] = (this.#indegree[index] ?? 0) + 1;
      } else this.#wrongNeed(id, needs, index, position);
    }
  }

  #wrongNeed(id: unknown, needs: readonly unknown[], index: number, position: number): void {
    const need = needs[position];
    const path = ["tasks", index, "needs", position];
    if (typeof need !== "string") return;
    if (need === id) this.#report("own-need", `Task ${quote(need)} needs itself`, path);
    else if (this.#indexOf.has(need)) {
      const first = ["tasks", index, "needs", needs.indexOf(need)];
      this.#report("repeated-need", `Repeated need ${quote(need)}`, path, first);
    } else {
      const message = `Unknown task ${quote(need)}${this.#meant(need, this.#indexOf.keys())}`;
      this.#report("unknown-need", message, path);
    }
  }

  #input(task: Members, index: number): void {
    const sources = INPUT_SOURCES.filter((source) => task[source] !== undefined);
    if (sources.length > 1) {
      const message = `Expected at most one input, found ${sources.map(quote).join(" and ")}`;
      this.#report("many-inputs", message, ["tasks", index, sources[1] ?? ""], undefined, "key");
    }
    const from = task["stdinFrom"];
    if (typeof from !== "string") return;
    const found = this.#indexOf.get(from);
    if (found !== undefined && this.#neededBy[found] === index + 1) return;
    const needs = Array.isArray(task["needs"]) ? task["needs"].filter(isText) : [];
    if (needs.includes(from)) return;
    const message = found === undefined
      ? `Unknown task ${quote(from)}${
        this.#meant(from, needs) || this.#meant(from, this.#indexOf.keys())
      }`
      : `Expected a task that is in "needs", found ${quote(from)}${this.#meant(from, needs)}`;
    this.#report("input-outside-needs", message, ["tasks", index, "stdinFrom"]);
  }

  #passes(passes: unknown, path: () => Path): void {
    // What is above the largest maxPasses is out of every range: the structure says so.
    if (typeof passes !== "number" || passes <= this.#mostPasses) return;
    if (passes > MANIFEST_LIMITS.maxPasses.most) return;
    const message =
      `Expected at most ${this.#mostPasses} passes ("limits.maxPasses"), found ${passes}`;
    this.#report("many-passes", message, path());
  }

  #cycle(links: Links): void {
    const cycle = cycleOf(links);
    if (cycle === null) return;
    const ids = cycle.map((index) => String(this.#tasks[index]?.["id"]));
    const first = ids[0] ?? "";
    const closing = cycle.at(-1) ?? 0;
    const needs = this.#tasks[closing]?.["needs"];
    const position = Array.isArray(needs) ? needs.indexOf(first) : 0;
    const circle = [...ids, first].map(quote).join(" → ");
    const path = ["tasks", closing, "needs", position];
    this.#report("cycle", `Tasks need each other in a circle: ${circle}`, path);
  }

  #meant(name: string, candidates: Iterable<string>): string {
    if (this.#suggestions >= MOST_SUGGESTIONS) return "";
    this.#suggestions++;
    return meant(name, candidates);
  }

  #report(
    code: string,
    message: string,
    path: Path,
    first?: Path,
    at: Problem["at"] = "value",
  ): void {
    this.problems.push({ code, message, path, at, ...(first === undefined ? {} : { first }) });
  }
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function membersOf(value: unknown): Members {
  return isObject(value) ? value : NOTHING;
}

const NOTHING: Members = Object.freeze(Object.create(null));

function quote(text: string): string {
  return JSON.stringify(text);
}
