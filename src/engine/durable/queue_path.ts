/** Where the queue of a state directory is. */
export function queuePath(stateDir: string): string {
  return `${stateDir}/queue.db`;
}
