/** Bytes of every object and typed array of this process. */
export function bytesInUse(): number {
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}
