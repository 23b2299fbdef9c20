/** Goes on when the clock of a folder's file system has ticked: what changes now differs in time from what changed before. */
export function afterTick(folder: string): void {
  const probe = `${folder}/.probe`;
  const now = () => {
    Deno.writeTextFileSync(probe, "");
    return Deno.lstatSync(probe).mtime?.getTime();
  };
  for (const before = now(); now() === before;);
  Deno.removeSync(probe);
}
