/**
 * What a finding about the disk under the state directory means. Pure: everything that it judges is handed to it.
 *
 * @module
 */
import type { Mount } from "../proc/mod.ts";
import { formatBytes, plural } from "../view/progress.ts";
import { type Check, failed, ok, type Tried, unknown, warning } from "./doctor_check.ts";

/** The state directory, as it was found. */
export interface FolderFacts {
  /** Its path, absolute. */
  readonly path: string;
  /** What is there. */
  readonly is: "nothing" | "folder" | "something-else";
  /** Its permission bits, `null` where there are none. */
  readonly mode: number | null;
  /** Whose it is, `null` where that is not told. */
  readonly owner: number | null;
  /** Who asks, `null` where that is not told. */
  readonly user: number | null;
  /** Where a folder for the checks was to be made: in it, or in the folder that it would be made in. */
  readonly probedIn: string;
  /** Why that could not be made or looked at, `null` where it was. */
  readonly problem: string | null;
}

/** Room on a disk. */
export interface RoomFacts {
  /** Bytes that this user may still write. */
  readonly bytes: number;
  /** Files that may still be made, `null` where the file system has no limit. */
  readonly files: number | null;
}

/** What two writers of one small file came to. */
export interface LinkFacts {
  /** Whether the first one was told that it was the first. */
  readonly first: boolean;
  /** Whether the second one was told so too. */
  readonly second: boolean;
  /** Whether the file is the first one's. */
  readonly kept: boolean;
}

/** What locks came to; each is `true` where all is well. */
export interface LockFacts {
  /** Two handles do not both hold an exclusive lock. */
  readonly excludes: boolean;
  /** Two handles both hold a shared lock. */
  readonly shares: boolean;
  /** A shared lock keeps an exclusive one out. */
  readonly sharedExcludes: boolean;
}

/** What locks between two processes came to; each is `true` where all is well. */
export interface ProcessLockFacts {
  /** The other process was refused what this one held. */
  readonly refused: boolean;
  /** It took the lock once this one had let go. */
  readonly taken: boolean;
  /** This one was refused what it held then. */
  readonly held: boolean;
  /** Its death, by KILL, let go of the lock. */
  readonly freed: boolean;
}

const WRITABLE_BY_ALL = 0o002;
const WRITABLE_BY_GROUP = 0o020;
const OPEN_TO_OTHERS = 0o055;
const MIB = 1024 ** 2;
/** Below this a run does not get far. */
const FAILING_BYTES = 16 * MIB;
const SCARCE_BYTES = 1024 * MIB;
/** A pass makes three files, and a lease. */
const SCARCE_FILES = 10_000;
/**
 * What a stop makes where nothing is: the state directory, `runs`, `holders`, ID, EPOCH, EPOCH.high, STOP, STOP.lock,
 * STOP.spare and LOCK.
 */
export const STOP_FILES = 10;

/** File systems whose locks and links are this kernel's own. */
const LOCAL = new Set([
  "apfs",
  "bcachefs",
  "btrfs",
  "ext2",
  "ext3",
  "ext4",
  "f2fs",
  "hfs",
  "jfs",
  "nilfs2",
  "overlay",
  "reiserfs",
  "ufs",
  "xfs",
  "zfs",
]);
const IN_MEMORY = new Set(["tmpfs", "ramfs", "rootfs"]);
/** File systems that other machines, or the host beneath this one, change too. */
const NETWORK =
  /^(?:9p|acfs|afs|beegfs\w*|ceph|cifs|coda|drvfs|fhgfs|gfs2?|glusterfs|gpfs|lustre|ncpfs?|nfs\d?|ocfs2?|orangefs|panfs|prl_fs|pvfs2|shfs|smb\w*|vboxsf|virtiofs|vmhgfs|fuse\.(?:ceph|cephfs|davfs2?|gcsfuse|glusterfs|goofys|juicefs|mfs|moosefs|rclone|s3fs|smbnetfs|sshfs|vmhgfs-fuse))$/;

/** The folder itself: is it one, may it be written to, and by whom. */
export function judgeFolder(
  { path, is, mode, owner, user, probedIn, problem }: FolderFacts,
): Check {
  const check = "folder";
  if (is === "something-else") {
    const message = `Nothing can run: "${path}" is no folder`;
    return failed(check, message, "Move it away, or name another place with --state");
  }
  if (problem !== null) {
    const message = `Nothing can run or be stopped: "${probedIn}" cannot be used: ${problem}`;
    const next = "Give this user the right to write there, or name another place with --state";
    return failed(check, message, next);
  }
  if (is === "nothing") return ok(check, `"${path}" is not there yet, and can be made`);
  if (owner !== null && user !== null && owner !== user) {
    const message =
      `"${path}" belongs to user ${owner}, and this is user ${user}: what one of them makes, the other may not read`;
    return warning(
      check,
      message,
      `Run Skein as user ${owner}, or \`chown -R ${user}\` the folder`,
    );
  }
  const bits = mode ?? 0;
  const octal = (bits & 0o777).toString(8).padStart(4, "0");
  const next = `chmod 0700 '${path}'`;
  if ((bits & WRITABLE_BY_ALL) !== 0) {
    const message =
      `Any user can clear a stop, or forge an epoch: "${path}" has the permissions ${octal}`;
    return failed(check, message, next);
  }
  if ((bits & WRITABLE_BY_GROUP) !== 0) {
    const message =
      `Its group can clear a stop, or forge an epoch: "${path}" has the permissions ${octal}`;
    return warning(check, message, next);
  }
  if ((bits & OPEN_TO_OTHERS) !== 0) {
    const message = `Others can look into "${path}": it has the permissions ${octal}`;
    return warning(check, message, next);
  }
  return ok(check, `"${path}" is this user's own`);
}

/** What is mounted there. */
export function judgeMount(path: string, mount: Mount | null): Check {
  const check = "mount";
  if (mount === null) {
    const message = `The system does not tell what "${path}" is mounted from`;
    return unknown(
      check,
      message,
      "See to it that it is a local disk: locks on others are not trusted",
    );
  }
  const { type, at, options } = mount;
  const next = "Put the state directory on a local disk, with --state or SKEIN_STATE";
  if (NETWORK.test(type)) {
    const message =
      `The stop and the queue cannot be relied on: "${at}" is ${type}, and locks are not trusted where other machines write`;
    return failed(check, message, next);
  }
  if (options.includes("ro")) {
    return failed(check, `Nothing can run: "${at}" (${type}) is mounted for reading only`, next);
  }
  if (IN_MEMORY.has(type)) {
    const message =
      `The state does not outlive the machine: "${at}" is ${type}, so that epochs begin anew and the queue is gone after a restart`;
    return warning(check, message, next);
  }
  if (LOCAL.has(type)) return ok(check, `"${at}" is ${type}, a local file system`);
  const message = `"${at}" is ${type}, which is not known to be a local file system`;
  return unknown(
    check,
    message,
    "See whether other machines write to it: their locks are not trusted",
  );
}

/** How much room there is. */
export function judgeRoom(room: Tried<RoomFacts>): Check {
  const check = "space";
  if (!room.ok) {
    return unknown(check, `The system does not tell how much room there is: ${room.problem}`);
  }
  const { bytes, files } = room.value;
  const next = "Make room, or prune old runs with `skein prune`";
  const left = `${formatBytes(bytes)} are free`;
  if (bytes < FAILING_BYTES) {
    return failed(check, `Runs will fail, and outputs be incomplete: ${left}`, next);
  }
  if (files === 0) return failed(check, "Nothing can run: no file can be made any more", next);
  if (files !== null && files < STOP_FILES) {
    const message = `A stop may not latch: ${
      plural(files, "file")
    } can still be made, and it needs ${STOP_FILES}`;
    return failed(check, message, next);
  }
  if (bytes < SCARCE_BYTES) return warning(check, `Runs may fail soon: ${left}`, next);
  if (files !== null && files < SCARCE_FILES) {
    return warning(check, `Runs may fail soon: ${files} files can still be made`, next);
  }
  return ok(check, left);
}

/** Whether the first of two writers wins, with a whole file. */
export function judgeLinks(links: Tried<LinkFacts>): Check {
  const check = "hard-links";
  const next = "Put the state directory on a file system with hard links";
  if (!links.ok) {
    const message =
      `Nothing can run: no file can be made that is whole from its first moment: ${links.problem}`;
    return failed(check, message, `Make room where there is none; else: ${next}`);
  }
  const { first, second, kept } = links.value;
  if (first && !second && kept) {
    return ok(check, "The first of two writers wins, and its file is whole");
  }
  return failed(check, "Two stops at once may both win: a hard link replaces what is there", next);
}

/** Whether names in a folder can be made durable. */
export function judgeSync(sync: Tried<"synced" | "cannot-be-opened">): Check {
  const check = "folder-sync";
  const next = "Put the state directory on another file system";
  if (!sync.ok) {
    const message =
      `Epochs and stops cannot be made durable: a folder cannot be synced: ${sync.problem}`;
    return failed(check, message, next);
  }
  if (sync.value === "synced") {
    return ok(check, "A file that has appeared survives a power failure");
  }
  return unknown(
    check,
    "Folders cannot be opened here: the system is trusted to keep names by itself",
  );
}

/** Whether locks exclude, between handles and between processes. */
export function judgeLocks(handles: Tried<LockFacts>, processes: Tried<ProcessLockFacts>): Check {
  const check = "locks";
  const next = "Put the state directory on a local disk";
  if (!handles.ok) {
    return failed(check, `Nothing can run: a file cannot be locked: ${handles.problem}`, next);
  }
  const { excludes, shares, sharedExcludes } = handles.value;
  const broken = [
    ...excludes ? [] : ["two handles hold an exclusive lock at once"],
    ...shares ? [] : ["two handles cannot share a lock"],
    ...sharedExcludes ? [] : ["a shared lock does not keep an exclusive one out"],
    ...processes.ok ? betweenProcesses(processes.value) : [],
  ];
  if (broken.length > 0) {
    const message = `A stop cannot tell who lives, and proves nothing: ${broken.join(", ")}`;
    return failed(check, message, next);
  }
  if (processes.ok) {
    return ok(
      check,
      "Refused and taken between two handles and two processes, and freed by a death",
    );
  }
  const message =
    `Refused and taken between two handles; not seen between two processes: ${processes.problem}`;
  return unknown(check, message, "Let Skein start its own executable, then look again");
}

function betweenProcesses({ refused, taken, held, freed }: ProcessLockFacts): string[] {
  return [
    ...refused ? [] : ["another process is not refused what is held"],
    ...taken ? [] : ["another process is not given what was let go"],
    ...held ? [] : ["this process is not refused what another one holds"],
    ...freed ? [] : ["a process that was killed goes on to hold its lock"],
  ];
}
