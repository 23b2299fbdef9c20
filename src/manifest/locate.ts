import { visit } from "jsonc-parser";
import type { Diagnostic } from "../model/mod.ts";
import { type Path, pathText, type Problem, type Segment } from "./problem.ts";

/** A place that is looked for, with the places below it. */
interface Mark {
  readonly below: Map<Segment, Mark>;
  key?: Spot;
  value?: Spot;
}

interface Spot {
  readonly line: number;
  readonly column: number;
}

/** Gives every problem its line and column, in one visit of the text. */
export function locate(text: string, problems: readonly Problem[]): Diagnostic[] {
  const root: Mark = { below: new Map() };
  const targets = problems.map((problem) => ({
    problem,
    mark: markOf(root, problem.at === "owner" ? problem.path.slice(0, -1) : problem.path),
    first: problem.first === undefined ? undefined : markOf(root, problem.first),
  }));
  markPlaces(text, root);
  return targets.map(({ problem, mark, first }) => {
    const spot = (problem.at === "key" ? mark.key : mark.value) ?? mark.value;
    return {
      code: problem.code,
      message: problem.message + (first?.value ? `, first on line ${first.value.line}` : ""),
      path: pathText(problem.path),
      line: spot?.line ?? 1,
      column: spot?.column ?? 1,
    };
  });
}

function markOf(root: Mark, path: Path): Mark {
  let mark = root;
  for (const segment of path) {
    let next = mark.below.get(segment);
    if (next === undefined) mark.below.set(segment, next = { below: new Map() });
    mark = next;
  }
  return mark;
}

/** Walks the text and the marks side by side; of a repeated key the last member counts, as for the value. */
function markPlaces(text: string, root: Mark): void {
  const stack: { mark: Mark | undefined; index: number }[] = [];
  let member: Mark | undefined = root;
  const enter = (line: number, column: number): Mark | undefined => {
    const frame = stack.at(-1);
    const mark = frame !== undefined && frame.index >= 0
      ? frame.mark?.below.get(frame.index++)
      : member;
    member = undefined;
    if (mark !== undefined) mark.value = { line: line + 1, column: column + 1 };
    return mark;
  };
  visit(text, {
    onObjectBegin: (_offset, _length, line, column) => {
      stack.push({ mark: enter(line, column), index: -1 });
    },
    onArrayBegin: (_offset, _length, line, column) => {
      stack.push({ mark: enter(line, column), index: 0 });
    },
    onObjectEnd: () => void stack.pop(),
    onArrayEnd: () => void stack.pop(),
    onObjectProperty: (key, _offset, _length, line, column) => {
      member = stack.at(-1)?.mark?.below.get(key);
      if (member !== undefined) member.key = { line: line + 1, column: column + 1 };
    },
    onLiteralValue: (_value, _offset, _length, line, column) => void enter(line, column),
  }, { disallowComments: false, allowTrailingComma: true });
}
