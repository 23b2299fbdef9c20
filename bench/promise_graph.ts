/**
 * The unstructured baseline: a plain graph of promises, without any bound on what runs at the same time, leases,
 * results or an end.
 *
 * @module
 */

/** Runs a graph; each task is its index and the indices of its needs, which come before it. */
export async function runPromises(
  needs: readonly (readonly number[])[],
  execute: () => Promise<boolean>,
): Promise<void> {
  const tasks: Promise<boolean>[] = [];
  for (const list of needs) {
    const before = list.map((need) => tasks[need]);
    tasks.push(before.length === 0 ? execute() : Promise.all(before).then(execute));
  }
  await Promise.all(tasks);
}
