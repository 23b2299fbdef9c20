import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { needing, succeeds } from "../support/capability.ts";
import { LONG, ROOT } from "../support/cli.ts";
import { type CommandLine, helpSections, type Section, sectionsOf } from "./commands.ts";
import { writeManifests } from "./manifests.ts";
import { Place } from "./place.ts";
import { ANY_EXECUTOR, ANY_RUN, ELSEWHERE, type Names, type Scene, SCENES } from "./scenes.ts";

const RUN_ID = /\b\d{8}t\d{9}z-[0-9a-z]{8}\b/g;
const EXECUTOR_ID = /\bexecutor-\d{8}t\d{9}z-[0-9a-z]{8}\b/g;
const GENERATED = "docs/cli.md";
const HAS_SHELL = { "a POSIX system": Deno.build.os !== "windows" && succeeds("sh", "-c", "true") };

const PAGES = ["README.md", ...pagesIn("docs"), ...pagesIn("examples")].filter((path) =>
  ELSEWHERE[path] === undefined
);

/** The pages of a folder and of those in it. */
function pagesIn(folder: string): string[] {
  return Array.from(Deno.readDirSync(join(ROOT, folder)), ({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return pagesIn(path);
    return path.endsWith(".md") ? [path] : [];
  }).flat().sort();
}

/** The command lines of a page: of the generated one, its examples. */
function sections(path: string): Section[] {
  const page = Deno.readTextFileSync(join(ROOT, path));
  return path === GENERATED ? helpSections(page) : sectionsOf(page);
}

function sceneOf(path: string, heading: string): Scene {
  return SCENES[path]?.[heading] ?? {};
}

for (const path of PAGES) {
  for (const section of sections(path)) {
    const scene = sceneOf(path, section.heading);
    const [run, skipped] = split(section.commands, scene);
    const name = `${path}, ${section.heading}: its command lines end as the page says`;
    if (run.length > 0) {
      Deno.test({ ...needing(name, HAS_SHELL), fn: () => execute(section, scene, run) });
    }
    for (const { text } of skipped) {
      const program = programFor(text, scene) ?? "";
      Deno.test({ ...needing(`${path}: ${text}`, { [program]: false }), fn() {} });
    }
  }
}

/** The program beside Skein that a command line needs. */
function programFor(text: string, { needs = {}, shells = {} }: Scene): string | undefined {
  return needs[text] ?? shells[text];
}

/** Those that are executed here, and those for which a program is missing. */
function split(commands: readonly CommandLine[], scene: Scene): [CommandLine[], CommandLine[]] {
  const wanted = commands.filter(({ text }) => scene.notRun?.[text] === undefined);
  const isMissing = ({ text }: CommandLine) => {
    const program = programFor(text, scene);
    return program !== undefined && !succeeds("sh", "-c", `command -v ${program}`);
  };
  return [wanted.filter((line) => !isMissing(line)), wanted.filter(isMissing)];
}

/** Executes command lines in one shell, or each in a place of its own. */
async function execute(
  section: Section,
  scene: Scene,
  commands: readonly CommandLine[],
): Promise<void> {
  const parts = scene.apart === true ? commands.map((each) => [each]) : [commands];
  for (const part of parts) await executeIn(section, scene, part);
}

async function executeIn(
  { files }: Section,
  scene: Scene,
  commands: readonly CommandLine[],
): Promise<void> {
  await using place = new Place();
  writeManifests(place);
  for (const [name, text] of files) place.write(name, text);
  const names = await scene.prepare?.(place) ?? {};
  const shorter = LONG ? {} : scene.shorter ?? {};
  const real = (text: string) =>
    inShell(renamed(shorter[text] ?? text, names), scene.shells?.[text]);
  const { commands: ended, output } = await place.execute(
    commands.map(({ text }) => real(text)),
    {
      ...scene.in === undefined ? {} : { cwd: join(ROOT, scene.in) },
      endless: (scene.endless ?? []).map(real),
    },
  );
  const wanted = commands.map(({ text, exit }) => ({
    text: real(text),
    code: scene.exits?.[text] ?? exit,
  }));
  assertEquals(ended, wanted, output);
}

/** A command line as another shell executes it. */
function inShell(text: string, shell: string | undefined): string {
  return shell === undefined ? text : `${shell} -c '${text.replaceAll("'", "'\\''")}'`;
}

function renamed(text: string, names: Names): string {
  let result = text;
  for (const [shown, real] of Object.entries(names)) {
    if (shown === ANY_EXECUTOR) result = result.replaceAll(EXECUTOR_ID, real);
    else if (shown === ANY_RUN) result = result.replaceAll(RUN_ID, real);
    else result = result.replaceAll(shown, real);
  }
  return result;
}

Deno.test("the list of scenes names only pages, headings and command lines that are there", () => {
  const strays = Object.entries(SCENES).flatMap(([path, scenes]) => {
    if (!PAGES.includes(path)) return [path];
    const found = sections(path);
    return Object.entries(scenes).flatMap(([heading, scene]) => {
      const lines = found.filter((each) => each.heading === heading).flatMap((each) =>
        each.commands
      );
      if (lines.length === 0) return [`${path}: ${heading}`];
      const { exits = {}, endless = [], shorter = {}, notRun = {}, needs = {}, shells = {} } =
        scene;
      return [...[exits, shorter, notRun, needs, shells].flatMap(Object.keys), ...endless]
        .filter((text) => !lines.some((line) => line.text === text))
        .map((text) => `${path}, ${heading}: ${text}`);
    });
  });
  assertEquals(strays, []);
});

Deno.test("a page that is executed by another test is named in it", () => {
  for (const [page, test] of Object.entries(ELSEWHERE)) {
    assert(Deno.readTextFileSync(join(ROOT, test)).includes(page), `${test} does not name ${page}`);
  }
});

Deno.test("every command line that is not executed has a reason", () => {
  const reasons = Object.values(SCENES).flatMap((scenes) =>
    Object.values(scenes).flatMap(({ notRun = {} }) => Object.values(notRun))
  );
  assert(reasons.every((reason) => reason.length > 10));
  const all = PAGES.flatMap(sections).flatMap(({ commands }) => commands).length;
  assert(all > 50, `${all} command lines were found`);
  assert(reasons.length < all / 4, `${reasons.length} of ${all} are not executed`);
});

Deno.test("a command line that ends otherwise than its page says is found", async () => {
  const page = [
    "## A page",
    "```sh",
    "true",
    "sh -c 'exit 3'    # exits 3",
    "sh -c 'exit 3'    # this one is wrong",
    "```",
  ].join("\n");
  const [section] = sectionsOf(page);
  assert(section !== undefined);
  let message = "";
  try {
    await execute(section, {}, section.commands);
  } catch (error) {
    message = String(error);
  }
  assert(message.includes("sh -c 'exit 3'"), message);
  await execute(section, {}, section.commands.slice(0, 2));
});
