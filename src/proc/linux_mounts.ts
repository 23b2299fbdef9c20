import type { Mount } from "./machine.ts";

/** Reads `/proc/self/mountinfo`. Lines of another form are passed over. */
export function parseMounts(text: string): Mount[] {
  const mounts: Mount[] = [];
  for (const line of text.split("\n")) {
    const fields = line.split(" ");
    // Any number of optional fields stands before the hyphen.
    const hyphen = fields.indexOf("-", 6);
    const [, , , , at, own = ""] = fields;
    const type = fields[hyphen + 1];
    if (hyphen < 0 || at === undefined || type === undefined) continue;
    const options = [own, fields[hyphen + 3] ?? ""].flatMap((list) => list.split(","))
      .filter((option) => option !== "");
    mounts.push({ type, at: unescape(at), options });
  }
  return mounts;
}

/** The mount that a path is on: the deepest one, and of several at the same place the last, which hides the others. */
export function mountOf(mounts: readonly Mount[], path: string): Mount | null {
  let found: Mount | null = null;
  for (const mount of mounts) {
    const prefix = mount.at.endsWith("/") ? mount.at : `${mount.at}/`;
    if (!`${path}/`.startsWith(prefix)) continue;
    if (found === null || mount.at.length >= found.at.length) found = mount;
  }
  return found;
}

/** The value of an option such as `hidepid=invisible`, `null` without it. */
export function optionOf(mount: Mount | null, name: string): string | null {
  const option = mount?.options.find((each) => each.startsWith(`${name}=`));
  return option === undefined ? null : option.slice(name.length + 1);
}

/** The kernel writes a space, a tab, a newline and a backslash as `\040` and so on. */
function unescape(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits) => String.fromCharCode(parseInt(digits, 8)));
}
