import { runTool } from "./children.ts";
import { type Machine, tryTool } from "./machine.ts";
import { parseTaskList } from "./windows_tasks.ts";

/** A share of another machine, but no device: `\\server\share`, not `\\?\C:`. */
const SHARE = /^(?:\\\\\?\\UNC\\|\\\\(?![?.]\\))/i;

/** Windows: processes have neither groups nor an environment that others may read. */
export const windowsMachine: Machine = {
  name: "Windows",
  limit:
    "A stop ends the trees of living orchestrators and is never proven, since the environment of other processes cannot be read",
  shows: "none",
  mountOf: (path) => SHARE.test(path) ? { type: "smb", at: path, options: [] } : null,
  standingOf: () => null,
  procOf: () => null,
  async tools() {
    return [
      await tryTool("tasklist", async () => {
        const { text } = await runTool("tasklist", ["/NH", "/FO", "CSV"]);
        return parseTaskList(text).has(Deno.pid) ? null : "it does not list this process";
      }),
      await tryTool("taskkill", async () => {
        const { success } = await runTool("taskkill", ["/?"]);
        return success ? null : "`taskkill /?` fails";
      }),
    ];
  },
};
