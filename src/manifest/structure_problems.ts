import type * as z from "zod/mini";
import { found, type Path, type Problem, type Segment } from "./problem.ts";
import { blockShape, manifestShape } from "./schema.ts";
import { keysAt, neededAt, typeAt } from "./needed.ts";
import { meant } from "./near.ts";

type Issue = z.core.$ZodIssue;

/** The one name that the library leaves out of a record. */
const SKIPPED = "__proto__";
/** Keys of a manifest by the names that they have elsewhere. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ["cmd", "argv"],
  ["command", "argv"],
  ["dependencies", "needs"],
  ["dependsOn", "needs"],
  ["depends_on", "needs"],
  ["deps", "needs"],
]);
/** Where a key belongs that stands in the wrong place. */
const OWNERS: readonly (readonly [name: string, path: Path])[] = [
  ["a block", ["blocks", ""]],
  ["a task", ["tasks", 0]],
];

/** What is wrong with the keys, types and ranges of a value that was refused: one problem at least. */
export function structureProblems(value: unknown): readonly Problem[] {
  const issues: Issue[] = [...manifestShape.safeParse(value).error?.issues ?? []];
  if (memberOf(memberOf(value, "blocks"), SKIPPED) !== undefined) {
    const path = ["blocks", SKIPPED];
    const { error } = blockShape.safeParse(valueAt(value, path));
    issues.push(...(error?.issues ?? []).map((issue) => below(path, issue)));
  }
  const problems = withoutRepeats(issues.flatMap((issue) => problemsOf(value, issue)));
  // The two readers of the one definition agree, as a test shows; should they not, the stricter one has the last word.
  return problems.length > 0 ? problems : [valueProblem(value, [])];
}

/** A number can break two rules at once, such as being whole and being in range: that is one problem. */
function withoutRepeats(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((each) => [JSON.stringify(each), each])).values()];
}

function problemsOf(root: unknown, issue: Issue): Problem[] {
  const path = issue.path.map((segment) => typeof segment === "symbol" ? String(segment) : segment);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownKey(path, key));
    case "invalid_union":
      return unionProblems(root, issue, path);
    case "invalid_key":
      return issue.issues.map((inner) => ({ ...textProblem(path.at(-1), inner, path), at: "key" }));
    case "invalid_format":
      return [textProblem(valueAt(root, path), issue, path)];
    default:
      return [valueProblem(root, path)];
  }
}

function unknownKey(path: Path, key: string): Problem {
  const message = `Unknown key ${JSON.stringify(key)}${meantKey(path, key)}`;
  return { code: "unknown-key", message, path: [...path, key], at: "key" };
}

/** What was meant by a key: what others call so, here or in another object, or else the nearest here. */
function meantKey(path: Path, key: string): string {
  const name = ELSEWHERE.get(key) ?? key;
  const here = keysAt(path);
  if (here.includes(name)) return `, did you mean ${JSON.stringify(name)}?`;
  const owner = OWNERS.find(([, other]) => keysAt(other).includes(name));
  return owner === undefined
    ? meant(key, here)
    : `, did you mean ${JSON.stringify(name)} of ${owner[0]}?`;
}

/** A list is judged by the branch for lists, so that its entries are named; anything else as a whole. */
function unionProblems(
  root: unknown,
  issue: Issue & { code: "invalid_union" },
  path: Path,
): Problem[] {
  const inner = Array.isArray(valueAt(root, path))
    ? issue.errors.find((errors) => errors.every((error) => error.path.length > 0))
    : undefined;
  return inner === undefined
    ? [valueProblem(root, path)]
    : inner.flatMap((error) => problemsOf(root, below(path, error)));
}

function below(path: Path, issue: Issue): Issue {
  return { ...issue, path: [...path, ...issue.path] };
}

function textProblem(value: unknown, issue: Issue, path: Path): Problem {
  const text = typeof value === "string" ? value : "";
  let needed = issue.message;
  if (text.includes("\0")) needed = "text without NUL characters";
  else if (!text.isWellFormed()) needed = "well-formed text, without half a surrogate pair";
  return {
    code: "wrong-text",
    message: `Expected ${needed}, found ${found(value)}`,
    path,
    at: "value",
  };
}

/** A value that is missing, of another type or out of its range. */
function valueProblem(root: unknown, path: Path): Problem {
  const last = path.at(-1);
  const owner = path.slice(0, -1);
  const value = valueAt(root, path);
  if (value === undefined && typeof last === "string") {
    const message = `Missing key ${JSON.stringify(last)}: ${neededAt(path)} is needed`;
    return { code: "missing-key", message, path, at: "owner" };
  }
  const list = valueAt(root, owner);
  if (typeof last === "number" && Array.isArray(list) && list.length <= last) {
    return emptyList(owner, list);
  }
  const type = typeAt(path);
  if (type === "array" && Array.isArray(value)) return emptyList(path, value);
  const message = `Expected ${neededAt(path)}, found ${found(value)}`;
  const numbers = typeof value === "number" && (type === "integer" || type === "number");
  const code = numbers ? "out-of-range" : "wrong-type";
  return { code, message, path, at: "value" };
}

function emptyList(path: Path, list: unknown): Problem {
  const message = `Expected a list with at least 1 entry, found ${found(list)}`;
  return { code: "empty-list", message, path, at: "value" };
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(memberOf, root);
}

function memberOf(value: unknown, segment: Segment): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, segment)) {
    return undefined;
  }
  return (value as Record<Segment, unknown>)[segment];
}
