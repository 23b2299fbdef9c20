const SAFE = /^[a-z0-9_-]$/;
const encoder = new TextEncoder();

/** The longest file name of a task that every filesystem takes, with room for pass, attempt and ending. */
export const LONGEST_FILE_NAME = 200;

/**
 * A task id as a file name, for every filesystem. Injective, also where case does not count: lower-case
 * letters, digits, `_` and `-` stand for themselves, an upper-case letter is `=` and its lower case, every other
 * byte of the UTF-8 text is `%` and two hex digits. The manifest refuses an id whose name would be longer than
 * {@linkcode LONGEST_FILE_NAME}.
 *
 * @throws {TypeError} on an id that is empty or no well-formed text: two such ids could share a name.
 */
export function fileNameOf(taskId: string): string {
  if (taskId === "" || !taskId.isWellFormed()) {
    throw new TypeError(
      `Cannot name a file after task "${taskId}": the id must be well-formed text`,
    );
  }
  let name = "";
  for (const character of taskId) name += safe(character);
  return isDevice(name) ? `%${hex(name.charCodeAt(0))}${name.slice(1)}` : name;
}

function safe(character: string): string {
  if (SAFE.test(character)) return character;
  if (character >= "A" && character <= "Z") return `=${character.toLowerCase()}`;
  return Array.from(encoder.encode(character), (byte) => `%${hex(byte)}`).join("");
}

/** Windows keeps these names for devices, whatever follows a dot. */
function isDevice(name: string): boolean {
  return /^(?:con|prn|aux|nul|com\d|lpt\d)$/.test(name);
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
