import { assert, assertEquals } from "@std/assert";
import { mountOf, optionOf, parseMounts } from "../../src/proc/linux_mounts.ts";
import { HAS_PROC } from "../support/processes.ts";
import { needing } from "../support/capability.ts";

const TEXT = String.raw`21 26 0:20 / /proc rw,relatime - proc proc rw,gid=27,hidepid=invisible
26 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,errors=remount-ro
31 26 0:40 / /home rw,nosuid shared:2 master:3 - nfs4 server:/home rw,vers=4.2
32 31 8:1 / /home/me/a\040b ro,relatime - xfs /dev/sda1 rw
33 26 0:41 / /mnt rw - tmpfs first rw
34 33 0:42 / /mnt rw - 9p second rw
35 26 0:43 / /odd\134name rw - btrfs /dev/sdb rw

a line of another form
`;

Deno.test("parseMounts() reads type, place and the options of the mount and of its file system", () => {
  const mounts = parseMounts(TEXT);
  assertEquals(mounts.map(({ type, at }) => [type, at]), [
    ["proc", "/proc"],
    ["ext4", "/"],
    ["nfs4", "/home"],
    ["xfs", "/home/me/a b"],
    ["tmpfs", "/mnt"],
    ["9p", "/mnt"],
    ["btrfs", "/odd\\name"],
  ]);
  assertEquals(mounts[3]?.options, ["ro", "relatime", "rw"]);
});

Deno.test("mountOf() finds the deepest mount, and of several at one place the last", () => {
  const mounts = parseMounts(TEXT);
  const typeOf = (path: string) => mountOf(mounts, path)?.type;
  assertEquals(typeOf("/"), "ext4");
  assertEquals(typeOf("/homeless"), "ext4");
  assertEquals(typeOf("/home"), "nfs4");
  assertEquals(typeOf("/home/me/a"), "nfs4");
  assertEquals(typeOf("/home/me/a b/.skein"), "xfs");
  assertEquals(typeOf("/mnt/x"), "9p");
  assertEquals(mountOf([], "/"), null);
});

Deno.test("optionOf() tells the value of an option, and null without it", () => {
  const [proc = null] = parseMounts(TEXT);
  assertEquals([optionOf(proc, "hidepid"), optionOf(proc, "gid")], ["invisible", "27"]);
  assertEquals([optionOf(proc, "hide"), optionOf(proc, "rw"), optionOf(null, "gid")], [
    null,
    null,
    null,
  ]);
});

Deno.test({
  ...needing("parseMounts() finds what this kernel says of /proc and of the root", {
    "/proc": HAS_PROC,
  }),
  fn() {
    const mounts = parseMounts(Deno.readTextFileSync("/proc/self/mountinfo"));
    assertEquals(mountOf(mounts, "/proc/self")?.type, "proc");
    assert(mountOf(mounts, "/") !== null);
  },
});
