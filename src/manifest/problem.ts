import type { Diagnostic } from "../model/mod.ts";

/** One step into a document: a key or an index. */
export type Segment = string | number;

/** The way from the root of a document to one of its values. */
export type Path = readonly Segment[];

/** A problem whose line and column are not known yet. */
export interface Problem {
  /** A stable name of the kind of problem. */
  readonly code: string;
  /** What is wrong. */
  readonly message: string;
  /** The place in the document. */
  readonly path: Path;
  /** Where to point: at the value of the path, at its key, or at the object that lacks the key. */
  readonly at: "value" | "key" | "owner";
  /** The earlier place that this one repeats. */
  readonly first?: Path;
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** A path as text: `$.tasks[3].needs[0]`, keys that are no identifiers as `["…"]`. */
export function pathText(path: Path): string {
  let text = "$";
  for (const segment of path) {
    if (typeof segment === "number") text += `[${segment}]`;
    else text += IDENTIFIER.test(segment) ? `.${segment}` : `[${JSON.stringify(segment)}]`;
  }
  return text;
}

/** The diagnostic of a problem in a value that is not a text: without line and column. */
export function withoutPlace(problem: Problem): Diagnostic {
  const first = problem.first === undefined ? "" : `, first at ${pathText(problem.first)}`;
  return {
    code: problem.code,
    message: problem.message + first,
    path: pathText(problem.path),
    line: 0,
    column: 0,
  };
}

const LONGEST_QUOTE = 80;

/** A value as a message shows it: quoted, shortened, lists and objects only by kind. */
export function found(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(
      value.length > LONGEST_QUOTE ? `${value.slice(0, LONGEST_QUOTE)}…` : value,
    );
  }
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  return String(value);
}
