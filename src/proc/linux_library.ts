const PR_SET_CHILD_SUBREAPER = 36;
const WNOHANG = 1;
const CLOSE_RANGE_CLOEXEC = 4;
/** Reads only, and is not for a child: the same on every architecture that the runtime has. */
const O_RDONLY_CLOEXEC = 0o2000000;
/** The first file descriptor after the three standard streams. */
const FIRST_FILE = 3;
const LAST_FILE = 0xffff_ffff;

/** The room for what is read at first; it grows with what does not fit. */
const ROOM_BYTES = 65_536;
/** The longest path that a link may name. */
const LINK_BYTES = 4096;
/** Where an entry of a folder has its length and its name: `struct linux_dirent64`. */
const ENTRY_LENGTH = 16;
const ENTRY_NAME = 19;
const LITTLE_ENDIAN = true;

/** Counts of bytes are far below 2^31: as small numbers they need no BigInt. */
const SYMBOLS = {
  prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
  close_range: { parameters: ["u32", "u32", "i32"], result: "i32", optional: true },
  waitpid: { parameters: ["i32", "pointer", "i32"], result: "i32" },
  open: { parameters: ["buffer", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  pread: { parameters: ["i32", "buffer", "usize", "i64"], result: "i32" },
  readlink: { parameters: ["buffer", "buffer", "usize"], result: "i32" },
  getdents64: { parameters: ["i32", "buffer", "usize"], result: "i32", optional: true },
} as const;

type Symbols = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

let opened: CLibrary | null | undefined;
/** Whether the permission to load libraries is given up with the next one. */
let isLast = false;

/** The C library, loaded when it is asked for first; `null` where that is not permitted, or it is not to be had. */
export function cLibrary(): CLibrary | null {
  if (opened === undefined) {
    opened = openLibrary();
    if (isLast) giveUpLoading();
  }
  return opened;
}

/**
 * Gives up the permission to load libraries as soon as the C library has been loaded: the first load costs more than
 * all that a short command does.
 */
export function loadNothingElse(): void {
  if (opened === undefined) isLast = true;
  else giveUpLoading();
}

function giveUpLoading(): void {
  Deno.permissions.revokeSync({ name: "ffi" });
}

function openLibrary(): CLibrary | null {
  // Nobody is asked: there is another way to look.
  if (Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return null;
  try {
    return new CLibrary(Deno.dlopen("libc.so.6", SYMBOLS).symbols);
  } catch {
    return null;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The few calls of the C library that Skein makes. Once it is loaded they need no permission: a command that has given
 * up everything that it does not use reads `/proc` through it, which the runtime allows to those alone who may do all.
 */
export class CLibrary {
  readonly #symbols: Symbols;
  #room = new Uint8Array(ROOM_BYTES);

  /** Takes its symbols. */
  constructor(symbols: Symbols) {
    this.#symbols = symbols;
  }

  /** Whether it can list folders: glibc can since 2.30. */
  get lists(): boolean {
    return this.#symbols.getdents64 !== null;
  }

  /** Makes this process adopt the orphans of its descendants; `false` where the kernel does not. */
  adoptOrphans(): boolean {
    return this.#symbols.prctl(PR_SET_CHILD_SUBREAPER, 1n, 0n, 0n, 0n) === 0;
  }

  /** Keeps every file that is open now from the children of this process. */
  keepFiles(): void {
    this.#symbols.close_range?.(FIRST_FILE, LAST_FILE, CLOSE_RANGE_CLOEXEC);
  }

  /** Takes a dead child off the process table. */
  reap(pid: number): void {
    this.#symbols.waitpid(pid, null, WNOHANG);
  }

  /** Opens a file to read it; `null` where that cannot be done. */
  open(path: string): number | null {
    const file = this.#symbols.open(terminated(path), O_RDONLY_CLOEXEC);
    return file < 0 ? null : file;
  }

  /** Closes what was opened. */
  close(file: number): void {
    this.#symbols.close(file);
  }

  /** The whole text of an open file, from its start; `null` where it cannot be read. */
  text(file: number): string | null {
    for (let length = 0;;) {
      if (length === this.#room.length) this.#grow();
      const room = this.#room.subarray(length);
      const read = this.#symbols.pread(file, room, BigInt(room.length), BigInt(length));
      if (read < 0) return null;
      if (read === 0) return decoder.decode(this.#room.subarray(0, length));
      length += read;
    }
  }

  /** The text of a file by its path; `null` where it cannot be read. */
  textOf(path: string): string | null {
    const file = this.open(path);
    if (file === null) return null;
    try {
      return this.text(file);
    } finally {
      this.close(file);
    }
  }

  /** The names in a folder; `null` where it cannot be read. */
  namesIn(path: string): string[] | null {
    const folder = this.open(path);
    if (folder === null) return null;
    const names: string[] = [];
    try {
      for (;;) {
        const read = this.#symbols.getdents64?.(folder, this.#room, BigInt(this.#room.length)) ??
          -1;
        if (read < 0) return null;
        if (read === 0) return names;
        names.push(...entriesOf(this.#room.subarray(0, read)));
      }
    } finally {
      this.close(folder);
    }
  }

  /** What a link names; `null` where there is none that can be read. */
  linkOf(path: string): string | null {
    const read = this.#symbols.readlink(terminated(path), this.#room, BigInt(LINK_BYTES));
    return read < 0 ? null : decoder.decode(this.#room.subarray(0, read));
  }

  #grow(): void {
    const larger = new Uint8Array(this.#room.length * 2);
    larger.set(this.#room);
    this.#room = larger;
  }
}

/** A text as the C library reads it. */
function terminated(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`${text}\0`);
}

/** The names of a block of folder entries, without the folder itself and the one above. */
function entriesOf(block: Uint8Array): string[] {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const names: string[] = [];
  for (let at = 0; at < block.length;) {
    const length = view.getUint16(at + ENTRY_LENGTH, LITTLE_ENDIAN);
    const name = decoder.decode(block.subarray(at + ENTRY_NAME, at + length));
    const plain = name.slice(0, name.indexOf("\0"));
    if (plain !== "." && plain !== "..") names.push(plain);
    at += length;
  }
  return names;
}
