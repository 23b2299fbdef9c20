import type { AttemptRow, SettledOutput } from "../../model/mod.ts";
import { messageOf } from "../../model/mod.ts";
import type { Store, Violation } from "../../store/mod.ts";
import { digestOfFile } from "./digest.ts";

const PAGE = 200;
const CHECK = "outputs-on-disk";

/** The settled outputs that are not on the disk with the size and the digest that their rows name. */
export async function checkOutputs(store: Store, logRoot: string): Promise<Violation[]> {
  const violations: Violation[] = [];
  for await (const runId of everyRun(store)) {
    for (const attempt of await store.attempts(runId)) {
      if (attempt.output === null) continue;
      const message = await problemOf(`${logRoot}/${attempt.output.path}`, attempt.output);
      if (message !== null) violations.push({ check: CHECK, id: idOf(runId, attempt), message });
    }
  }
  return violations;
}

async function* everyRun(store: Store): AsyncGenerator<string> {
  let page = await store.runs({ limit: PAGE });
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    yield* page.map(({ id }) => id);
    page = await store.runs({ limit: PAGE, before: last.id });
  }
}

async function problemOf(path: string, settled: SettledOutput): Promise<string | null> {
  try {
    const { bytes, digest } = await digestOfFile(path);
    if (bytes !== settled.bytes) {
      return `Output "${path}" has ${bytes} bytes, and ${settled.bytes} were settled`;
    }
    return digest === settled.digest
      ? null
      : `Output "${path}" has the digest ${digest}, and ${settled.digest} was settled`;
  } catch (error) {
    return `Output "${path}" cannot be read: ${messageOf(error)}`;
  }
}

function idOf(runId: string, { taskId, pass, attempt }: AttemptRow): string {
  return `${runId}/${taskId}/${pass}/${attempt}`;
}
