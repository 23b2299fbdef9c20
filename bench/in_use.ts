const collect = (globalThis as { gc?: () => void }).gc;

/** Frees what nobody holds, where the engine was started with `--expose-gc`. */
export function collectGarbage(): void {
  collect?.();
}

/** Bytes that are held when a run has ended, together with its result: of objects and of typed arrays. */
export async function bytesHeld(run: () => Promise<unknown>): Promise<number> {
  await settle();
  const before = bytesInUse();
  const result = await run();
  await settle();
  const after = bytesInUse();
  return result === null ? 0 : after - before;
}

/** What the last run has left is held until the event loop has gone on; typed arrays go with the collection after. */
async function settle(): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await new Promise((resolve) => setTimeout(resolve));
    collectGarbage();
  }
}

function bytesInUse(): number {
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}
