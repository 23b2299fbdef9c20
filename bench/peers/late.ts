/**
 * How long anything is admitted after a stop, in a run of functions that never waits.
 *
 * @module
 */
import { finish, start } from "./commands.ts";
import {
  CONFIG,
  DENO_RUN,
  type Findings,
  type Ground,
  HERE,
  type Section,
  SKEIN,
} from "./ground.ts";
import { linesOf } from "./lines.ts";
import { figure } from "./tables.ts";
import { sleep } from "./trees.ts";

/** The number that the goals ask for. */
export const LATE = "last admission after a stop";

/** The section. */
export const late: Section = { name: "late", title: "A stop during a large run", measure };

const AFTER_MS = 1000;
const MOST_RUNS = 5;
/** The run ends by itself: the report of so many tasks takes longer to write than a stop waits by default. */
const WAIT = ["--wait", "60000"];

async function measure(ground: Ground): Promise<Findings> {
  const tasks = ground.small ? 100_000 : 1_000_000;
  const stops: StoppedRun[] = [];
  for (let run = 0; run < Math.min(ground.samples, MOST_RUNS); run++) {
    stops.push(await stopLargeRun(ground.freshFolder(), tasks));
  }
  const worst = Math.max(...stops.map(({ lateMs }) => lateMs));
  return { text: textOf(stops, worst, tasks), groups: [], numbers: { [LATE]: worst } };
}

/** A run of functions behind the fence that was stopped on the way. */
interface StoppedRun {
  /** Tasks that were admitted. */
  readonly admitted: number;
  /** Milliseconds from the stop's own time to the last admission. */
  readonly lateMs: number;
}

async function stopLargeRun(folder: string, tasks: number): Promise<StoppedRun> {
  const state = `${folder}/state`;
  const program = [...DENO_RUN, "--config", CONFIG, `${HERE}large_run.ts`, state, String(tasks)];
  const child = start(program, { cwd: folder });
  const lines = linesOf(child.stdout);
  await lines.next();
  await sleep(AFTER_MS);
  await finish([...SKEIN, "stop", "--state", state, ...WAIT], { cwd: folder });
  const { admitted, lastMs, status } = JSON.parse((await lines.next()).value ?? "{}");
  await Promise.all([lines.return(undefined), child.stderr.cancel(), child.status]);
  if (status !== "stopped") {
    throw new Error(`The run is ${status}, and not stopped on the way`);
  }
  const { requestedAt } = JSON.parse(Deno.readTextFileSync(`${state}/STOP`));
  return { admitted, lateMs: lastMs - Date.parse(requestedAt) };
}

function textOf(stops: readonly StoppedRun[], worst: number, tasks: number): string {
  const admitted = stops.map((each) => each.admitted.toLocaleString("en"));
  return `
A run of ${
    tasks.toLocaleString("en")
  } tasks of a \`functionExecutor\` behind the fence with all of its artifacts (not \`inMemory\`), stopped by \`skein stop\` from another process ${
    AFTER_MS / 1000
  } s after its first task. Runs: ${stops.length}; tasks that each had admitted: ${
    admitted.join(", ")
  }. From the time in the record of the stop to the last admission: at most ${
    figure(worst)
  } ms. Both clocks have milliseconds.
`.trim();
}
