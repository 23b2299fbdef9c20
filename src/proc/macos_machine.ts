import { runTool } from "./children.ts";
import { type Machine, tryTool } from "./machine.ts";
import { PS_COLUMNS, psRows, rowOf } from "./macos_finder.ts";

/** macOS and the other systems with a BSD `ps`. */
export const macosMachine: Machine = {
  name: "macOS or BSD",
  limit:
    "What shows no environment is found by its parent and its process group only, so that a process which has left both is not",
  shows: "some",
  mountOf: () => null,
  standingOf(pid) {
    const row = rowOf(pid);
    return row === undefined ? null : { group: row.group, session: null };
  },
  procOf: () => null,
  async tools() {
    return [
      await tryTool("ps", async () => {
        const { text } = await runTool("ps", ["-ax", ...PS_COLUMNS]);
        const listed = psRows(text).some(({ pid }) => pid === Deno.pid);
        return listed ? null : `\`ps -ax ${PS_COLUMNS.join(" ")}\` does not list this process`;
      }),
    ];
  },
};
