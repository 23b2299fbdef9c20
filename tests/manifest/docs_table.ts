/** A key of the manifest as docs/manifest.md tables it. */
export interface Row {
  /** The way to it, such as `tasks[].needs`. */
  readonly key: string;
  /** Its type, with `*` where it is required. */
  readonly type: string;
  /** Its default, or nothing. */
  readonly default: string;
  /** What it may be. */
  readonly range: string;
  /** Its title in the schema. */
  readonly title: string;
  /** Its description in the schema. */
  readonly meaning: string;
}

interface Node {
  readonly [keyword: string]: unknown;
}

/** The rows of all keys of a JSON Schema, in its order. */
export function rowsOf(schema: Node, prefix = ""): Row[] {
  const required = (schema["required"] ?? []) as readonly string[];
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Node>);
  return properties.flatMap(([name, node]) => {
    const key = prefix + name;
    const row: Row = {
      key,
      type: typeOf(node) + (required.includes(name) ? " *" : ""),
      default: "default" in node ? JSON.stringify(node["default"]) : "",
      range: rangeOf(node),
      title: String(node["title"] ?? ""),
      meaning: String(node["description"] ?? ""),
    };
    return [row, ...rowsOf(node, `${key}.`), ...rowsBelow(node, key)];
  });
}

function rowsBelow(node: Node, key: string): Row[] {
  const { additionalProperties, items } = node;
  if (isNode(additionalProperties)) return rowsOf(additionalProperties, `${key}.<name>.`);
  return isNode(items) ? rowsOf(items, `${key}[].`) : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typeOf(node: Node): string {
  if (Array.isArray(node["anyOf"])) return node["anyOf"].map(typeOf).join(" or ");
  if ("const" in node) return JSON.stringify(node["const"]);
  switch (node["type"]) {
    case "integer":
      return "integer";
    case "array":
      return isNode(node["items"]) && isNode(node["items"]["properties"]) ? "list" : "list of text";
    case "object":
      return "object";
    default:
      return "text";
  }
}

function rangeOf(node: Node): string {
  if (node["type"] === "integer") return `${node["minimum"]}…${node["maximum"]}`;
  if (node["minItems"] !== undefined) return `at least ${node["minItems"]}`;
  if (node["uniqueItems"] === true) return "no repeats";
  const { items } = node;
  return isNode(items) ? textsOf(items, "each ") : textsOf(node, "");
}

/** What a pattern of texts demands, by what it accepts. */
function textsOf({ pattern }: Node, each: string): string {
  if (typeof pattern !== "string") return "";
  const takes = (text: string) => new RegExp(pattern, "u").test(text);
  if (!takes("NAME")) return `${each}NAME=value`;
  if (!takes("")) return `${each}not empty`;
  return takes("\0") ? "" : `${each}without NUL`;
}

/** The table between the marks of docs/manifest.md. */
export function tableOf(schema: Node): string {
  const lines = rowsOf(schema).map((row) =>
    `| ${
      [`\`${row.key}\``, row.type, row.default && `\`${row.default}\``, row.range, row.meaning]
        .map((cell) => cell.replaceAll("|", "\\|")).join(" | ")
    } |`
  );
  return ["| key | type | default | range | meaning |", "|---|---|---|---|---|", ...lines].join(
    "\n",
  );
}
