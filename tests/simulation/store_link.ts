import { SkeinError } from "../../src/model/mod.ts";
import type { Store } from "../../src/store/mod.ts";
import type { Dice } from "./dice.ts";
import type { Machine } from "./machine.ts";
import type { Call } from "./rules.ts";
import type { Timeline } from "./timeline.ts";

/** How calls of the store fare; the shares are of all calls. */
export interface Weather {
  /** How long a call is usually on its way at most, in milliseconds. */
  readonly usualMs: number;
  /** Those whose transaction comes late. */
  readonly late: number;
  /** How late it comes at most, in milliseconds. */
  readonly latestMs: number;
  /** Those that never reach the database. */
  readonly lost: number;
  /** Those that were committed, and whose caller gets an error. */
  readonly unanswered: number;
}

/** What a link stands on. */
export interface LinkGround {
  /** Time. */
  readonly timeline: Timeline;
  /** Chance. */
  readonly dice: Dice;
  /** How calls fare now. */
  readonly weather: () => Weather;
  /** Lets trouble strike while a call is on its way, as it likes: how much longer it takes. */
  readonly strike: (machine: Machine, liking: number) => number;
  /** Performs a call on the database. */
  readonly perform: (machine: Machine, call: Call) => Promise<unknown>;
}

/** What only the holder of a claim asks for, and how much trouble likes the moment before it is committed. */
const LIKED: Partial<Record<Call["name"], number>> = {
  settleTask: 1,
  finishRun: 1,
  startTask: 0.4,
  handBack: 0.2,
  renew: 0.1,
};
/** Calls whose answer takes some time too. */
const SLOW_ANSWERS = 0.2;

/** A machine's own way to the store: each call takes its time, may fail, and dies with the machine. */
export function linkStore(machine: Machine, ground: LinkGround): Store {
  const methods = new Map<string | symbol, unknown>();
  return new Proxy({} as Store, {
    get(_, name) {
      if (name === "close" || name === "checkpoint") return nothing;
      const known = methods.get(name);
      if (known !== undefined) return known;
      const method = (...args: unknown[]) =>
        call(machine, withOutput({ name: name as keyof Store, args }), ground);
      methods.set(name, method);
      return method;
    },
  });
}

const nothing = () => Promise.resolve();

async function call(machine: Machine, asked: Call, ground: LinkGround): Promise<unknown> {
  const { timeline, dice, weather, strike, perform } = ground;
  const { usualMs, late, latestMs } = weather();
  const liking = LIKED[asked.name] ?? 0;
  const underwayMs = dice.below(dice.chance(late) ? latestMs : usualMs);
  await timeline.wait(strike(machine, liking) + machine.lagMs + underwayMs, machine);
  const isLost = asked.name === "renew" && machine.losesRenewals;
  if (isLost || dice.chance(weather().lost)) throw outage(`"${asked.name}" never came`);
  const isUnanswered = dice.chance(weather().unanswered);
  const answer = await perform(machine, isUnanswered ? cutShort(asked) : asked);
  const backMs = strike(machine, liking / 2) +
    (dice.chance(SLOW_ANSWERS) ? dice.below(usualMs) : 0);
  if (isUnanswered || backMs > 0) await timeline.wait(backMs, machine);
  if (isUnanswered) throw outage(`the answer of "${asked.name}" was lost`);
  return answer;
}

/** The engines here keep no artifacts; the database is given what they would name. */
function withOutput(asked: Call): Call {
  if (asked.name !== "settleTask") return asked;
  const [ref, attempt, verdict] = asked.args as Parameters<Store["settleTask"]>;
  if (verdict.kind !== "succeeded") return asked;
  const path = `${ref.runId}/${attempt.taskId}.${attempt.pass}.${attempt.attempt}.${ref.token}`;
  const output = { path, bytes: 1, digest: "0a".repeat(32) };
  return { name: asked.name, args: [ref, attempt, { ...verdict, output }] };
}

/** A sweep whose answer is lost was cut off after its first transaction. */
function cutShort({ name, args }: Call): Call {
  return name === "reap" ? { name, args: [{ ...args[0] as object, limit: 1 }] } : { name, args };
}

/** What a caller gets of a call that failed. */
export class Outage extends SkeinError {
  /** Makes the error. */
  constructor(message: string) {
    super("state-unusable", message, { where: "the simulated way to the database" });
  }
}

function outage(what: string): Outage {
  return new Outage(`Cannot use the store: ${what}`);
}
