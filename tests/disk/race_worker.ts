/**
 * Makes the same file as its rivals, as soon as it is told to, and reads what is there then.
 *
 * @module
 */
import { createOnce } from "../../src/disk/mod.ts";

/** One round of the race. */
export interface Round {
  /** The folder. */
  readonly folder: string;
  /** The file. */
  readonly name: string;
  /** What this racer writes. */
  readonly text: string;
}

/** What became of it. */
export interface Finish {
  /** Whether this racer made the file. */
  readonly won: boolean;
  /** What stood in the file afterwards. */
  readonly read: string;
}

const self = globalThis as unknown as {
  onmessage: (event: MessageEvent<Round>) => void;
  postMessage(message: Finish): void;
};

self.onmessage = ({ data: { folder, name, text } }) => {
  const won = createOnce(folder, name, text);
  self.postMessage({ won, read: Deno.readTextFileSync(`${folder}/${name}`) });
};
