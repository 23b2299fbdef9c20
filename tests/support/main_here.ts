/**
 * The command line inside of the tests' own process, which gives up nothing: what comes after it still needs everything.
 *
 * @module
 */
import { main as mainOfProcess } from "../../src/cli/main.ts";

/** Runs a command line and returns its exit code. */
export function main(args: readonly string[]): Promise<number> {
  return mainOfProcess(args, () => Promise.resolve());
}
