import { assert, assertEquals, assertFalse, assertRejects } from "@std/assert";
import {
  type EpochKeeper,
  isClear,
  latchStop,
  readFence,
  resetLatch,
  type ResetRequest,
  type ResetResult,
} from "../../src/fence/mod.ts";
import { draft, epochText, NO_PROCESSES, withState } from "./swarm.ts";

const PLAIN: ResetRequest = { wanted: null, force: false };

/** What keeps the epoch beside EPOCH, in memory. */
class Keeper implements EpochKeeper {
  epoch: number;
  /** Whether the latch was set, and what EPOCH said, when it was raised. */
  readonly raises: { readonly latched: boolean; readonly file: string }[] = [];
  readonly #stateDir: string;

  constructor(stateDir: string, epoch: number) {
    this.#stateDir = stateDir;
    this.epoch = epoch;
  }

  highest(): Promise<number> {
    return Promise.resolve(this.epoch);
  }

  raise(epoch: number): Promise<void> {
    this.raises.push({ latched: !isClear(this.#stateDir), file: epochText(this.#stateDir) });
    this.epoch = epoch;
    return Promise.resolve();
  }
}

function reset(
  stateDir: string,
  keeper: EpochKeeper,
  request: ResetRequest = PLAIN,
): Promise<ResetResult> {
  return resetLatch(stateDir, request, 0, NO_PROCESSES, keeper);
}

Deno.test("resetLatch() counts the keeper's epoch, and raises it after EPOCH and before the latch goes (G2)", async () => {
  await withState(async (stateDir) => {
    await latchStop(stateDir, draft("why"));
    const keeper = new Keeper(stateDir, 9);
    assertEquals(await reset(stateDir, keeper), { kind: "reset", epoch: 9 });
    assertEquals(keeper.raises, [{ latched: true, file: "9\n" }]);
    assertEquals([isClear(stateDir), readFence(stateDir).epoch], [true, 9]);
    await latchStop(stateDir, draft("again"));
    assertEquals(await reset(stateDir, keeper), { kind: "reset", epoch: 10 });
    assertEquals(keeper.epoch, 10);
  });
});

Deno.test("resetLatch() keeps the latch where the keeper cannot be raised, and throws its error (G1, G2)", async () => {
  await withState(async (stateDir) => {
    await latchStop(stateDir, draft("why"));
    const keeper = new Keeper(stateDir, 1);
    keeper.raise = () => Promise.reject(new Error("full"));
    await assertRejects(() => reset(stateDir, keeper), Error, "full");
    assertFalse(isClear(stateDir));
    assertEquals(await reset(stateDir, new Keeper(stateDir, 1)), { kind: "reset", epoch: 2 });
  });
});

Deno.test("resetLatch() does not ask the keeper where nothing is at STOP, and takes no epoch that it has seen (G2)", async () => {
  await withState(async (stateDir) => {
    const keeper = new Keeper(stateDir, 5);
    assertEquals(await reset(stateDir, keeper), { kind: "not-stopped", epoch: 1 });
    assertEquals(keeper.raises, []);
    const { kind } = await reset(stateDir, keeper, { wanted: 5, force: false });
    assertEquals(kind, "refused");
    const above = await reset(stateDir, keeper, { wanted: 6, force: false });
    assertEquals(above, { kind: "reset", epoch: 6 });
    assert(keeper.raises.length === 1 && keeper.epoch === 6);
  });
});
