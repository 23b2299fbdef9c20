/**
 * The rules of the source tree. Each takes files and names what breaks it, so that it can be proved on a bad fixture.
 *
 * @module
 */

/** One file of a source tree. */
export interface Source {
  /** Its path from the tree's root, such as `src/model/lease.ts`. */
  readonly path: string;
  /** Its text. */
  readonly text: string;
}

/** The rooms: each imports only those above it. */
export const ROOMS: readonly string[] = [
  "model",
  "reason",
  "clock",
  "faults",
  "disk",
  "manifest",
  "fence",
  "proc",
  "store",
  "engine",
  "view",
  "cli",
];

/** Rooms that never import each other, whatever their order. */
const APART: readonly (readonly [string, string])[] = [["store", "proc"]];

/** Files that may read the platform's name, with the reason. */
const READS_PLATFORM: Readonly<Record<string, string>> = {
  "src/proc/select.ts": "the one place that chooses",
  "src/proc/sight.ts": "says whether there is a /proc, before any platform is loaded",
  "src/cli/version.ts": "prints it for a bug report, decides nothing",
};

/** Rooms whose entry is not `mod.ts`, with the reason. */
const OTHER_ENTRY: Readonly<Record<string, { readonly entry: string | null; why: string }>> = {
  cli: { entry: "main.ts", why: "it is entered by one function, and no room imports it" },
  view: { entry: null, why: "each command loads the one view it shows: start-up time" },
};

/** The guarantees that at least one test must name. */
export const TESTED_GUARANTEES: readonly string[] = [
  "G1",
  "G2",
  "G3",
  "G4",
  "G5",
  "G6",
  "G7",
  "G8",
  "G9",
  "G10",
  "G11",
  "G12",
];

const LONGEST_FILE = 400;
const VAGUE = /^(?:utils?|common|helpers?|misc|shared)(?:$|[._-])/;
const READS_TIME =
  /\b(?:Date\.now|new Date\(\)|performance\.now|Math\.random|crypto\.(?:getRandomValues|randomUUID))/;

/** What a file imports, and the statements that this scan does not understand. */
export interface Imports {
  /** The specifiers of its import and export statements. */
  readonly specifiers: readonly string[];
  /** Those that are loaded when they are asked for. */
  readonly late: readonly string[];
  /** What could not be read. */
  readonly problems: readonly string[];
}

/** Reads what a file imports. */
export function importsOf({ path, text }: Source): Imports {
  const specifiers: string[] = [];
  const late: string[] = [];
  const problems: string[] = [];
  const statement = /^(?:import|export)\b(?:[^;"'`=(]*?\bfrom)?\s*"([^"]+)"/;
  for (const { index } of text.matchAll(/^(?:import\b(?!\()|export\s+(?:type\s+)?[*{])/gm)) {
    const rest = text.slice(index);
    const found = statement.exec(rest);
    if (found !== null) specifiers.push(found[1] ?? "");
    // A list of the file's own names ends without `from`.
    else if (!/^export\s+(?:type\s+)?\{[^}]*\};/.test(rest)) {
      problems.push(`${path}: cannot read "${rest.split("\n")[0]}"`);
    }
  }
  for (const [, argument = ""] of withoutComments(text).matchAll(/\bimport\(\s*([^)]*)/g)) {
    const literal = /^"([^"]+)"/.exec(argument);
    if (literal === null) problems.push(`${path}: cannot read import(${argument})`);
    else late.push(literal[1] ?? "");
  }
  return { specifiers, late, problems };
}

/** An import between two files of the tree. */
interface Edge {
  readonly from: string;
  readonly to: string;
  /** Whether it is loaded only when it is asked for. */
  readonly late: boolean;
}

function edgesOf(sources: readonly Source[]): Edge[] {
  return sources.flatMap((source) => {
    const from = source.path;
    const edge = (late: boolean) => (specifier: string) => {
      return { from, to: new URL(specifier, `file:///${from}`).pathname.slice(1), late };
    };
    const { specifiers, late } = importsOf(source);
    const own = (specifier: string) => specifier.startsWith(".");
    return [
      ...specifiers.filter(own).map(edge(NOW)),
      ...late.filter(own).map(edge(LATE)),
    ];
  });
}

const NOW = false;
const LATE = true;

/** Statements that could hide an import, and imports of files that are not there. */
export function unreadable(sources: readonly Source[]): string[] {
  const paths = new Set(sources.map(({ path }) => path));
  return [
    ...sources.flatMap((source) => importsOf(source).problems),
    ...edgesOf(sources).filter(({ to }) => to.startsWith("src/") && !paths.has(to)).map((edge) =>
      `${edge.from}: ${edge.to} is not there`
    ),
  ];
}

/** Imports of a room that is not above, of an unknown room, and between rooms that are kept apart. */
export function outOfOrder(sources: readonly Source[]): string[] {
  const unknown = sources.map(({ path }) => path).filter((path) =>
    roomOf(path) !== null && !ROOMS.includes(roomOf(path) ?? "")
  ).map((path) => `${path}: no room of the table`);
  const wrong = edgesOf(sources).filter(({ from, to }) => {
    const importer = roomOf(from);
    const imported = roomOf(to);
    if (importer === imported || importer === null) return false;
    // A room imports rooms, and nothing that composes them.
    if (imported === null) return !to.endsWith("deno.json");
    const apart = APART.some((pair) => pair.includes(importer) && pair.includes(imported));
    return apart || ROOMS.indexOf(imported) > ROOMS.indexOf(importer);
  });
  return [...unknown, ...wrong.map(({ from, to }) => `${from} imports ${to}`)];
}

/**
 * The cycles of imports, each from its first file in the order of paths. What is loaded late closes none: by then the
 * importing file has been evaluated.
 */
export function cycles(sources: readonly Source[]): string[] {
  const next = Map.groupBy(edgesOf(sources).filter(({ late }) => !late), ({ from }) => from);
  const found = new Set<string>();
  const state = new Map<string, "open" | "done">();
  const visit = (path: string, trail: readonly string[]): void => {
    if (state.get(path) === "done") return;
    const start = trail.indexOf(path);
    if (start >= 0) return void found.add(fromFirst(trail.slice(start)).join(" → "));
    state.set(path, "open");
    for (const { to } of next.get(path) ?? []) visit(to, [...trail, path]);
    state.set(path, "done");
  };
  for (const { path } of sources) visit(path, []);
  return [...found];
}

function fromFirst(cycle: readonly string[]): string[] {
  const first = cycle.indexOf([...cycle].sort()[0] ?? "");
  return [...cycle.slice(first), ...cycle.slice(0, first)];
}

/** Files that look which platform they run on. */
export function readsPlatform(sources: readonly Source[]): string[] {
  return matching(sources, /\bDeno\.build(?:\.os\b|[;,)\s])/).filter((path) =>
    !Object.hasOwn(READS_PLATFORM, path)
  );
}

/** Files outside of `clock/` that read the time or draw random numbers. */
export function readsTime(sources: readonly Source[]): string[] {
  return matching(sources, READS_TIME).filter((path) => roomOf(path) !== "clock");
}

/** Files that end the process, beside `main.ts`. */
export function exits(sources: readonly Source[]): string[] {
  return matching(sources, /\bDeno\.exit\b/).filter((path) => path !== "main.ts");
}

/** Files that are too long. */
export function tooLong(sources: readonly Source[]): string[] {
  return sources.map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 })).filter((
    { lines },
  ) => lines > LONGEST_FILE).map(({ path, lines }) => `${path}: ${lines} lines`);
}

/** Names that say nothing. */
export function vague(sources: readonly Source[]): string[] {
  return sources.map(({ path }) => path).filter((path) =>
    path.split("/").some((name) => VAGUE.test(name))
  );
}

/** Rooms without an entry, or whose entry does not say what they are for. */
export function withoutEntry(sources: readonly Source[]): string[] {
  const rooms = new Set(sources.map(({ path }) => roomOf(path)).filter((room) => room !== null));
  return [...rooms].flatMap((room) => {
    const { entry } = OTHER_ENTRY[room] ?? { entry: "mod.ts" };
    if (entry === null) return [];
    const file = sources.find(({ path }) => path === `src/${room}/${entry}`);
    if (file === undefined) return [`src/${room}: no ${entry}`];
    return /^\/\*\*(?:(?!\*\/)[^])*@module/.test(file.text) ? [] : [`${file.path}: no @module`];
  });
}

/** Guarantees that no test of these files names. */
export function untested(tests: readonly Source[]): string[] {
  const named = new Set(
    tests.flatMap(({ text }) => testNames(text)).flatMap((name) => name.match(/\bG\d+\b/g) ?? []),
  );
  return TESTED_GUARANTEES.filter((id) => !named.has(id));
}

function testNames(text: string): string[] {
  const name = /(?:\bDeno\.test\(\s*|\bname:\s*)(["'`])((?:(?!\1)[^\\]|\\.)*)\1/g;
  return Array.from(text.matchAll(name), ([, , found = ""]) => found);
}

/** The paths whose code, without its comments, has something in it. */
function matching(sources: readonly Source[], pattern: RegExp): string[] {
  return sources.filter(({ text }) => pattern.test(withoutComments(text))).map(({ path }) => path);
}

/** Good enough for formatted code: a comment begins its line, or stands after a space. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*\*?\s[^]*?\*\//g, "").replaceAll(/(^|\s)\/\/ .*$/gm, "$1");
}

/** The room of a file; `null` for one that is in none. */
function roomOf(path: string): string | null {
  return /^src\/([^/]+)\//.exec(path)?.[1] ?? null;
}
