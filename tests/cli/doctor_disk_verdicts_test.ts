import { assertEquals } from "@std/assert";
import type { CheckStatus } from "../../src/cli/doctor_check.ts";
import {
  type FolderFacts,
  judgeFolder,
  judgeLinks,
  judgeLocks,
  judgeMount,
  judgeRoom,
  judgeSync,
  STOP_FILES,
} from "../../src/cli/doctor_disk_verdicts.ts";
import { assertCheck } from "./checks.ts";

const OWN: FolderFacts = {
  path: "/s",
  is: "folder",
  mode: 0o700,
  owner: 1000,
  user: 1000,
  probedIn: "/s",
  problem: null,
};

Deno.test("judgeFolder() accepts this user's own folder, and one that can be made", () => {
  assertCheck(judgeFolder(OWN), "ok", "/s");
  assertCheck(judgeFolder({ ...OWN, mode: null, owner: null, user: null }), "ok");
  assertCheck(
    judgeFolder({ ...OWN, is: "nothing", mode: null, probedIn: "/" }),
    "ok",
    "can be made",
  );
});

Deno.test("judgeFolder() fails where there is no folder, or it cannot be used", () => {
  assertCheck(judgeFolder({ ...OWN, is: "something-else" }), "failed", '"/s" is no folder');
  const refused = { ...OWN, probedIn: "/above", problem: "Permission denied" };
  assertCheck(judgeFolder(refused), "failed", "/above", "Permission denied");
});

Deno.test("judgeFolder() tells who else may look into it, or write to it", () => {
  const judged: [number, CheckStatus][] = [
    [0o700, "ok"],
    [0o500, "ok"],
    [0o750, "warning"],
    [0o701, "warning"],
    [0o755, "warning"],
    [0o770, "warning"],
    [0o702, "failed"],
    [0o777, "failed"],
  ];
  for (const [mode, status] of judged) {
    const check = judgeFolder({ ...OWN, mode });
    assertCheck(check, status);
    if (status !== "ok") assertEquals(check.next, "chmod 0700 '/s'");
  }
  assertCheck(judgeFolder({ ...OWN, owner: 0 }), "warning", "user 0", "user 1000");
});

Deno.test("judgeMount() trusts no mount that other machines write to, and none that it does not know", () => {
  const typed = (type: string, ...options: string[]) =>
    judgeMount("/s", { type, at: "/mnt", options });
  for (const type of ["nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "virtiofs", "fuse.sshfs"]) {
    assertCheck(typed(type), "failed", type, "/mnt");
  }
  for (const type of ["ext4", "xfs", "btrfs", "overlay", "zfs"]) {
    assertCheck(typed(type), "ok", type);
  }
  assertCheck(typed("tmpfs"), "warning", "does not outlive");
  assertCheck(typed("ext4", "ro", "relatime"), "failed", "reading only");
  for (const type of ["fuse.odd", "vfat", "nfsish", "notceph"]) {
    assertCheck(typed(type), "unknown", type);
  }
  assertCheck(judgeMount("/s", null), "unknown", "/s");
});

Deno.test("judgeRoom() warns before there is too little room for bytes or for files", () => {
  const MIB = 1024 ** 2;
  const room = (bytes: number, files: number | null) =>
    judgeRoom({ ok: true, value: { bytes, files } });
  assertCheck(room(2048 * MIB, null), "ok", "2.0 GiB");
  assertCheck(room(2048 * MIB, 20_000), "ok");
  assertCheck(room(1023 * MIB, null), "warning", "1023.0 MiB");
  assertCheck(room(15 * MIB, null), "failed", "15.0 MiB");
  assertCheck(room(2048 * MIB, 9_999), "warning", "9999 files");
  assertCheck(room(2048 * MIB, STOP_FILES), "warning", `${STOP_FILES} files`);
  assertCheck(room(2048 * MIB, STOP_FILES - 1), "failed", "A stop may not latch");
  assertCheck(room(512 * MIB, STOP_FILES - 1), "failed", "A stop may not latch");
  assertCheck(room(2048 * MIB, 0), "failed", "no file");
  assertCheck(judgeRoom({ ok: false, problem: "not here" }), "unknown", "not here");
});

Deno.test("judgeLinks() demands that the first of two writers wins, with a whole file", () => {
  const well = { first: true, second: false, kept: true };
  assertCheck(judgeLinks({ ok: true, value: well }), "ok");
  for (const bad of [{ second: true }, { kept: false }, { first: false }]) {
    assertCheck(judgeLinks({ ok: true, value: { ...well, ...bad } }), "failed");
  }
  assertCheck(judgeLinks({ ok: false, problem: "not permitted" }), "failed", "not permitted");
});

Deno.test("judgeSync() demands that a folder can be synced where it can be opened", () => {
  assertCheck(judgeSync({ ok: true, value: "synced" }), "ok");
  assertCheck(judgeSync({ ok: true, value: "cannot-be-opened" }), "unknown");
  assertCheck(judgeSync({ ok: false, problem: "Invalid argument" }), "failed", "Invalid argument");
});

Deno.test("judgeLocks() names each way in which locks do not hold", () => {
  const handles = { excludes: true, shares: true, sharedExcludes: true };
  const processes = { refused: true, taken: true, held: true, freed: true };
  const judge = (one: Partial<typeof handles>, other: Partial<typeof processes>) =>
    judgeLocks({ ok: true, value: { ...handles, ...one } }, {
      ok: true,
      value: { ...processes, ...other },
    });
  assertCheck(judge({}, {}), "ok");
  const bad = [
    judge({ excludes: false }, {}),
    judge({ shares: false }, {}),
    judge({ sharedExcludes: false }, {}),
    judge({}, { refused: false }),
    judge({}, { taken: false }),
    judge({}, { held: false }),
    judge({}, { freed: false }),
  ];
  for (const check of bad) assertCheck(check, "failed", "proves nothing");
  assertEquals(new Set(bad.map(({ message }) => message)).size, bad.length);
  const problem = { ok: false, problem: "no locks available" } as const;
  assertCheck(judgeLocks(problem, problem), "failed", "no locks available");
  assertCheck(judgeLocks({ ok: true, value: handles }, problem), "unknown", "no locks available");
  const broken = { ok: true, value: { ...handles, excludes: false } } as const;
  assertCheck(judgeLocks(broken, problem), "failed", "two handles");
});
