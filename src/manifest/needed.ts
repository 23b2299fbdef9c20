import type { Path } from "./problem.ts";
import { manifestSchema } from "./schema.ts";

/** As much of a JSON Schema as the wording of a diagnostic asks for. */
interface Node {
  readonly type?: string;
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly items?: Node | readonly Node[];
  readonly additionalItems?: Node;
}

let root: Node | undefined;

/** The keys that an object at a path may have. */
export function keysAt(path: Path): string[] {
  return Object.keys(nodeAt(path)?.properties ?? {});
}

/** What a value at a path must be, as a message says it: "a whole number from 0 to 65536". */
export function neededAt(path: Path): string {
  return phrase(nodeAt(path) ?? {});
}

/** The type that a value at a path must have, as JSON Schema names it. */
export function typeAt(path: Path): string | undefined {
  return nodeAt(path)?.type;
}

function nodeAt(path: Path): Node | undefined {
  root ??= manifestSchema();
  return path.reduce<Node | undefined>(step, root);
}

function step(node: Node | undefined, segment: string | number): Node | undefined {
  if (typeof segment === "string") {
    if (node?.properties !== undefined && Object.hasOwn(node.properties, segment)) {
      return node.properties[segment];
    }
    return typeof node?.additionalProperties === "object" ? node.additionalProperties : undefined;
  }
  const list = node?.anyOf?.find((branch) => branch.items !== undefined) ?? node;
  if (list?.items === undefined || !isTuple(list.items)) return list?.items;
  return list.items[segment] ?? list.additionalItems;
}

function isTuple(items: Node | readonly Node[]): items is readonly Node[] {
  return Array.isArray(items);
}

function phrase(node: Node): string {
  if (node.anyOf !== undefined) return node.anyOf.map(phrase).join(" or ");
  if (node.const !== undefined) return JSON.stringify(node.const);
  switch (node.type) {
    case "integer":
      return `a whole number from ${node.minimum} to ${node.maximum}`;
    case "string":
      return "text";
    case "array":
      return "a list";
    default:
      return "an object";
  }
}
