import type { Clock } from "./clock.ts";
import type { Rng } from "./rng.ts";
import { isoTime } from "./timestamps.ts";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** What a run id looks like: it sorts by time and is safe in a path. */
export const RUN_ID: RegExp = /^\d{8}t\d{9}z-[0-9a-z]{8}$/;

/** A run's id, such as `20261129t174525123z-5k8h2m0q`. */
export function mintRunId(clock: Clock, rng: Rng): string {
  const time = isoTime(clock.wall()).replace(/[-:.]/g, "").toLowerCase();
  return `${time}-${letters(rng, 8)}`;
}

/** A swarm's id: 26 letters, 130 bits. */
export function mintSwarmId(rng: Rng): string {
  return letters(rng, 26);
}

function letters(rng: Rng, count: number): string {
  let text = "";
  for (let index = 0; index < count; index++) {
    text += ALPHABET[Math.floor(rng.next() * ALPHABET.length)] ?? "";
  }
  return text;
}
