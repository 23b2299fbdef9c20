import { assert, assertFalse } from "@std/assert";
import { BellListener, ringBell } from "../../src/fence/bell.ts";
import { needing } from "../support/capability.ts";
import { canMount, SmallDisk } from "../support/namespace.ts";
import { withFolder } from "../disk/folder.ts";

const AT_REST = "\0".repeat(8);

Deno.test("BellListener hears what rings after it was made, once and for all, and nothing before (G1)", async () => {
  await withFolder((folder) => {
    const path = `${folder}/STOP.lock`;
    Deno.writeTextFileSync(path, AT_REST);
    ringBell(path);
    const early = new BellListener(path);
    assert(early.isQuiet());
    assert(early.isQuiet());
    ringBell(path);
    const late = new BellListener(path);
    for (let look = 0; look < 3; look++) assertFalse(early.isQuiet(), "it has rung");
    assert(late.isQuiet());
    ringBell(path);
    ringBell(path);
    for (let look = 0; look < 3; look++) assertFalse(late.isQuiet(), "it has rung twice");
    early.close();
    late.close();
  });
});

Deno.test("BellListener trusts no bell that is not there, is no file, or is closed (G1)", async () => {
  await withFolder((folder) => {
    for (const path of [`${folder}/missing`, folder]) {
      const listener = new BellListener(path);
      assertFalse(listener.isQuiet());
      ringBell(path);
      assertFalse(listener.isQuiet());
      listener.close();
    }
    const path = `${folder}/STOP.lock`;
    Deno.writeTextFileSync(path, AT_REST);
    const closed = new BellListener(path);
    closed.close();
    assertFalse(closed.isQuiet());
  });
});

Deno.test({
  ...needing("The bell rings on a full disk (G1)", { "a small disk": canMount() }),
  async fn() {
    await withFolder((folder) => {
      using disk = new SmallDisk(folder, 65_536);
      const path = `${disk.path}/STOP.lock`;
      Deno.writeTextFileSync(path, AT_REST);
      disk.fill();
      for (let stop = 0; stop < 1000; stop++) {
        const listener = new BellListener(path);
        assert(listener.isQuiet());
        ringBell(path);
        assertFalse(listener.isQuiet(), `stop ${stop}`);
        listener.close();
      }
    });
  },
});
