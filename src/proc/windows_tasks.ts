/** Reads what `tasklist /NH /FO CSV` prints: the image name of each process by its pid. */
export function parseTaskList(text: string): Map<number, string> {
  const tasks = new Map<number, string>();
  for (const line of text.split(/\r?\n/)) {
    const match = /^"([^"]*)","(\d+)",/.exec(line);
    if (match !== null) tasks.set(Number(match[2]), match[1] ?? "");
  }
  return tasks;
}
