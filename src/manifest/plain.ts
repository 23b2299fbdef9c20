import { found, type Path, type Problem } from "./problem.ts";
import { DEEPEST } from "./survey.ts";

/**
 * A copy of what a JSON text could say, without prototypes, and a problem for everything that it could not:
 * instances of classes, accessors, symbols as keys, lists with gaps or names, endless nesting. What is copied
 * cannot change or run code while it is checked.
 */
export function plainCopy(value: unknown): { copy: unknown; problems: Problem[] } {
  const problems: Problem[] = [];
  return { copy: copyOf(value, [], problems), problems };
}

function copyOf(value: unknown, path: Path, problems: Problem[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  const refuse = (message: string): undefined => {
    problems.push({ code: "not-plain", message, path, at: "value" });
  };
  if (path.length >= DEEPEST) return refuse(`Expected at most ${DEEPEST} levels, found more`);
  return Array.isArray(value)
    ? copyOfList(value, path, problems, refuse)
    : copyOfObject(value, path, problems, refuse);
}

type Refuse = (message: string) => undefined;

function copyOfList(list: unknown[], path: Path, problems: Problem[], refuse: Refuse): unknown {
  // "length" is the one own name that is no entry; it is compared before a gap of billions is walked.
  if (Reflect.ownKeys(list).length !== list.length + 1) {
    return refuse("Expected a list without gaps and names, found another");
  }
  return list.map((item, index) => copyOf(item, [...path, index], problems));
}

function copyOfObject(object: object, path: Path, problems: Problem[], refuse: Refuse): unknown {
  const prototype: object | null = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) {
    return refuse(`Expected a plain object, found ${found(object)} of ${className(prototype)}`);
  }
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Reflect.ownKeys(object)) {
    const member = Object.getOwnPropertyDescriptor(object, key);
    if (typeof key === "symbol") refuse(`Expected no symbol as a key, found ${String(key)}`);
    else if (member === undefined || !("value" in member) || member.enumerable !== true) {
      refuse(`Expected plain members, found ${JSON.stringify(key)} with an accessor or hidden`);
    } else copy[key] = copyOf(member.value, [...path, key], problems);
  }
  return copy;
}

function className(prototype: object): string {
  const constructor: unknown = Object.getOwnPropertyDescriptor(prototype, "constructor")?.value;
  return typeof constructor === "function" && constructor.name !== ""
    ? `class ${constructor.name}`
    : "a prototype of its own";
}
