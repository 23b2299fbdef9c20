import type * as z from "zod/mini";
import { found, type Path, type Problem, type Segment } from "./problem.ts";
import { type BlockShape, blockShape, type ManifestShape, manifestShape } from "./schema.ts";
import { keysAt, neededAt, typeAt } from "./needed.ts";
import { meant } from "./near.ts";

/** A manifest whose structure is right; its blocks by name, whatever the name. */
export interface Structure {
  /** Everything but the blocks. */
  readonly shape: ManifestShape;
  /** The blocks in the manifest's order. */
  readonly blocks: ReadonlyMap<string, BlockShape>;
}

/** What reading the structure gives: it or its problems. */
export type StructureResult =
  | { readonly structure: Structure; readonly problems: readonly [] }
  | { readonly structure: null; readonly problems: readonly Problem[] };

type Issue = z.core.$ZodIssue;

/** The one name that the library leaves out of a record. */
const SKIPPED = "__proto__";

/** Checks keys, types and ranges of a value, as the JSON Schema does. */
export function readStructure(value: unknown): StructureResult {
  const result = manifestShape.safeParse(value);
  const issues: Issue[] = result.success ? [] : [...result.error.issues];
  const names = Object.keys(memberOf(value, "blocks") ?? {});
  let skipped: BlockShape | undefined;
  if (names.includes(SKIPPED)) {
    const path = ["blocks", SKIPPED];
    const block = blockShape.safeParse(valueAt(value, path));
    if (block.success) skipped = block.data;
    else issues.push(...block.error.issues.map((issue) => below(path, issue)));
  }
  if (!result.success || issues.length > 0) {
    const problems = issues.flatMap((issue) => problemsOf(value, issue));
    return { structure: null, problems: withoutRepeats(problems) };
  }
  const shape = result.data;
  const blocks = new Map<string, BlockShape>();
  for (const name of names) {
    const block = name === SKIPPED ? skipped : shape.blocks[name];
    if (block !== undefined) blocks.set(name, block);
  }
  return { structure: { shape, blocks }, problems: [] };
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
  const message = `Unknown key ${JSON.stringify(key)}${meant(key, keysAt(path))}`;
  return { code: "unknown-key", message, path: [...path, key], at: "key" };
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
