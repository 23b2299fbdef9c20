import type { Report, TaskReport } from "../model/mod.ts";

/** What makes the list. */
interface Source {
  /** Every task, in the manifest's order; the same list every time. */
  reports(): TaskReport[];
}

/**
 * A report whose list of tasks is made when it is first read. All of them share one getter: with one of its own each
 * report gets a hidden class of its own, which takes longer than a run of ten tasks, and keeps that getter, and with it
 * the memory of the whole run, until the engine collects everything.
 */
export function withTasks(report: Omit<Report, "tasks">, source: Source): Report {
  new Sourced(report, source);
  Object.defineProperty(report, "tasks", TASKS);
  return Object.defineProperty(report, INSPECT, PRINTED) as Report;
}

class Extended {
  /** Returns another object, to which whoever extends this class adds its private fields. */
  constructor(object: object) {
    return object;
  }
}

/** Keeps the source in the report itself, where nobody else sees it and nothing outlives it. */
class Sourced extends Extended {
  readonly #source: Source;
  /** The same one every time, so that who prints it sees where it is named again. */
  #printed: object | null = null;

  constructor(report: object, source: Source) {
    super(report);
    this.#source = source;
  }

  static tasksOf(report: object): TaskReport[] {
    if (#source in report) return report.#source.reports();
    throw new TypeError(
      "Cannot read the tasks of a report through another object: copy it, `{ ...report }`",
    );
  }

  /** A plain object that says the same; another object than a report is itself. */
  static printedOf(report: object): object {
    if (!(#source in report)) return report;
    return Object.assign(report.#printed ??= {}, report);
  }
}

/** Where `console.log` looks for the object that it prints in the place of another. */
const INSPECT = Symbol.for("nodejs.util.inspect.custom");

const TASKS: PropertyDescriptor & ThisType<Report> = {
  enumerable: true,
  configurable: true,
  get() {
    return Sourced.tasksOf(this);
  },
};

/** Who prints a report reads it: else `tasks: [Getter]` would stand there. */
const PRINTED: PropertyDescriptor & ThisType<Report> = {
  configurable: true,
  value(): object {
    return Sourced.printedOf(this);
  },
};
