import type { Lease } from "../../../src/model/mod.ts";
import { check, enter, type Entered, publish, type Steps } from "../../../src/fence/protocol.ts";
import type { EpochSeen, Look } from "../../../src/fence/record.ts";
import type { RunParts } from "./actors.ts";

/** The real protocols. */
export const REAL: RunParts = { enter, publish };

/** Broken: publishes without the second look. */
export const NO_SECOND_LOOK: RunParts = {
  enter,
  *publish(lease: Lease): ReturnType<typeof publish> {
    if (!(yield* check(lease))) return "refused";
    yield { op: "rename" };
    return "published";
  },
};

/** Broken: looks at STOP only before it takes LOCK. */
export const LOOK_BEFORE_LOCK: RunParts = {
  publish,
  *enter(): Steps<Entered> {
    if (((yield { op: "look" }) as Look).at !== "nothing") return { kind: "stopped" };
    if (!(yield { op: "lock-shared" })) return { kind: "stopped" };
    return entered((yield { op: "read-epoch" }) as EpochSeen);
  },
};

/** Broken: reads the epoch after its only look at STOP, so perhaps while stopped. */
export const EPOCH_WHILE_STOPPED: RunParts = {
  publish,
  *enter(): Steps<Entered> {
    if (!(yield { op: "lock-shared" })) return { kind: "stopped" };
    if (((yield { op: "look" }) as Look).at !== "nothing") return { kind: "stopped" };
    return entered((yield { op: "read-epoch" }) as EpochSeen);
  },
};

function entered(epoch: EpochSeen): Entered {
  return epoch.ok ? { kind: "entered", epoch: epoch.epoch } : { kind: "corrupt", ...epoch };
}
