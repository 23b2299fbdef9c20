/**
 * The workflows, as far as they can be judged without running them. Each rule takes a workflow and names what breaks it,
 * so that it can be proved on a bad one.
 *
 * @module
 */
import { parse } from "yaml";

/** A workflow file. */
export interface Workflow {
  /** Its path in the checkout. */
  readonly path: string;
  /** Its text. */
  readonly text: string;
  /** What the text says. */
  readonly document: Document;
}

/** What these rules read of a workflow. */
export interface Document {
  /** What it may do where a job says nothing. */
  readonly permissions?: Readonly<Record<string, string>>;
  /** Its variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its jobs. */
  readonly jobs: Readonly<Record<string, Job>>;
}

/** A job of a workflow. */
export interface Job {
  /** The machine. */
  readonly "runs-on"?: string;
  /** Its bound. */
  readonly "timeout-minutes"?: number;
  /** What it may do. */
  readonly permissions?: Readonly<Record<string, string>>;
  /** The jobs that must have succeeded before. */
  readonly needs?: string | readonly string[];
  /** The machines and targets that it runs for. */
  readonly strategy?: { readonly matrix: Matrix };
  /** Its steps. */
  readonly steps?: readonly Step[];
}

/** What a job runs for. */
export interface Matrix {
  /** Targets, on one machine. */
  readonly target?: readonly string[];
  /** Targets, each on its own. */
  readonly include?: readonly { readonly target: string; readonly runner: string }[];
}

/** A step of a job. */
export interface Step {
  /** The action. */
  readonly uses?: string;
  /** The script. */
  readonly run?: string;
  /** What the action is told. */
  readonly with?: Readonly<Record<string, unknown>>;
}

const PINNED = /^ *- uses: ([\w-]+\/[\w-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)$/;
/** What a script may be told: nothing that somebody else could have written. */
const HARMLESS = /\$\{\{\s*(?:matrix\.target|runner\.os)\b[^}]*\}\}/g;
const LONGEST_MINUTES = 90;

/** Reads a workflow. */
export function workflowOf(path: string, text: string): Workflow {
  return { path, text, document: parse(text) };
}

/** Actions that are not pinned by their full commit with the version in a comment, or are of several versions. */
export function unpinned(workflows: readonly Workflow[]): string[] {
  const pins = new Map<string, string>();
  return workflows.flatMap(({ path, text }) =>
    text.split("\n").filter((line) => /\buses:/.test(line)).flatMap((line) => {
      const [, action = "", commit = "", version = ""] = PINNED.exec(line) ?? [];
      if (action === "") return [`${path}: ${line.trim()}`];
      const pin = `${commit} ${version}`;
      const first = pins.get(action) ?? pin;
      pins.set(action, first);
      return first === pin ? [] : [`${path}: ${action} is ${pin} and ${first}`];
    })
  );
}

/** Jobs that may do what is not stated, or that nothing bounds, on machines that change by themselves. */
export function unbounded({ path, document }: Workflow): string[] {
  const { permissions, jobs } = document;
  const problems = JSON.stringify(permissions) === "{}" ? [] : [`${path}: permissions`];
  for (const [name, job] of Object.entries(jobs)) {
    if (job.permissions === undefined) problems.push(`${name}: permissions`);
    const minutes = job["timeout-minutes"];
    if (minutes === undefined || minutes > LONGEST_MINUTES) problems.push(`${name}: timeout`);
    const machines = [job["runs-on"], ...runnersOf(job).values()].join();
    if (/latest/.test(machines)) problems.push(`${name}: ${machines}`);
  }
  return problems;
}

/** Needs of jobs that are not there. */
export function danglingNeeds({ document: { jobs } }: Workflow): string[] {
  return Object.entries(jobs).flatMap(([name, job]) =>
    needsOf(job).filter((needed) => jobs[needed] === undefined).map((needed) =>
      `${name}: ${needed}`
    )
  );
}

/** Everything that must have succeeded before a job. */
export function before({ document: { jobs } }: Workflow, name: string): string[] {
  const found = new Set(needsOf(jobs[name] ?? {}));
  for (const needed of found) {
    for (const more of needsOf(jobs[needed] ?? {})) found.add(more);
  }
  return [...found];
}

/** Scripts with a text in them that is put there before a shell reads it, and tokens that are left behind. */
export function injectable({ path, document: { jobs } }: Workflow): string[] {
  return stepsOf(jobs).flatMap(({ run = "", uses = "", with: told = {} }) => {
    const rest = run.replaceAll(HARMLESS, "");
    const problems = rest.includes("${{") ? [`${path}: ${run.trim().split("\n")[0]}`] : [];
    const leaves = uses.startsWith("actions/checkout@") && told["persist-credentials"] !== false;
    return leaves ? [...problems, `${path}: a checkout leaves its token behind`] : problems;
  });
}

/** The tasks that a workflow runs. */
export function tasksOf({ document: { jobs } }: Workflow): string[] {
  const scripts = stepsOf(jobs).map(({ run = "" }) => run).join("\n");
  return Array.from(scripts.matchAll(/\bdeno task ([\w:-]+)/g), ([, name = ""]) => name);
}

/** The scripts of a job, with something harmless in the place of what the runner fills in. */
export function scriptsOf(job: Job): string[] {
  return stepsOf({ job }).flatMap(({ run }) =>
    run === undefined ? [] : [run.replaceAll(/\$\{\{[^}]*\}\}/g, "x")]
  );
}

/** The targets of a job, each with its machine. */
export function runnersOf({ strategy, "runs-on": machine = "" }: Job): Map<string, string> {
  const { target = [], include = [] } = strategy?.matrix ?? {};
  return new Map([
    ...target.map((one): [string, string] => [one, machine]),
    ...include.map(({ target, runner }): [string, string] => [target, runner]),
  ]);
}

function needsOf({ needs = [] }: Job): readonly string[] {
  return typeof needs === "string" ? [needs] : needs;
}

function stepsOf(jobs: Readonly<Record<string, Job>>): Step[] {
  return Object.values(jobs).flatMap(({ steps = [] }) => steps);
}
