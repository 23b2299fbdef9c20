import { assert, assertEquals } from "@std/assert";
import { cLibrary } from "../../src/proc/linux_library.ts";
import { needing } from "../support/capability.ts";
import { randomBytes } from "../support/digest.ts";
import { temporaryFolder } from "../support/cli.ts";

// Loaded here: it stays for the whole process.
const library = Deno.build.os === "linux" ? cLibrary() : null;
const NEEDS = { "the C library of Linux, glibc 2.30": library?.lists === true };

Deno.test({
  ...needing("CLibrary reads a file of any length, and null where there is none", NEEDS),
  fn() {
    assert(library !== null);
    using folder = temporaryFolder();
    const path = `${folder.path}/ü file`;
    for (const length of [0, 1, 65_535, 65_536, 65_537, 300_001]) {
      const text = "aü€".repeat(length).slice(0, length);
      Deno.writeTextFileSync(path, text);
      assertEquals(library.textOf(path), text);
    }
    const bytes = randomBytes(1000);
    Deno.writeFileSync(path, bytes);
    assertEquals(library.textOf(path), new TextDecoder().decode(bytes));
    assertEquals(library.textOf(`${path}/x`), null);
    assertEquals(library.textOf(`${folder.path}/nothing`), null);
    assertEquals(library.textOf(folder.path), null, "a folder is no file");
  },
});

Deno.test({
  ...needing("CLibrary reads an open file from its start each time, as it is then", NEEDS),
  fn() {
    assert(library !== null);
    using folder = temporaryFolder();
    const path = `${folder.path}/file`;
    Deno.writeTextFileSync(path, "first");
    const file = library.open(path);
    assert(file !== null);
    assertEquals(library.text(file), "first");
    Deno.writeTextFileSync(path, "2nd");
    assertEquals(library.text(file), "2nd");
    library.close(file);
    assertEquals(library.text(file), null, "it is closed");
  },
});

Deno.test({
  ...needing(
    "CLibrary lists the names of a folder, however many, and null where there is none",
    NEEDS,
  ),
  fn() {
    assert(library !== null);
    using folder = temporaryFolder();
    assertEquals(library.namesIn(folder.path), []);
    // More than one block of entries; names of every length, with letters of several bytes.
    const names = Array.from({ length: 1500 }, (_, at) => `${at}-${"ü".repeat(at % 120)}`);
    for (const name of names) Deno.writeTextFileSync(`${folder.path}/${name}`, "");
    assertEquals(library.namesIn(folder.path)?.sort(), names.sort());
    assertEquals(library.namesIn(`${folder.path}/nothing`), null);
    assertEquals(library.namesIn(`${folder.path}/${names[0]}`), null, "a file is no folder");
  },
});

Deno.test({
  ...needing("CLibrary reads what the runtime reads of /proc: text, names and links", NEEDS),
  fn() {
    assert(library !== null);
    const self = `/proc/${Deno.pid}`;
    for (const file of ["cmdline", "environ", "limits"]) {
      assertEquals(library.textOf(`${self}/${file}`), Deno.readTextFileSync(`${self}/${file}`));
    }
    assertEquals(library.linkOf(`${self}/ns/pid`), Deno.readLinkSync(`${self}/ns/pid`));
    assertEquals(library.linkOf("/proc/self"), String(Deno.pid));
    assertEquals(library.linkOf(`${self}/stat`), null, "a file is no link");
    const names = Array.from(Deno.readDirSync(self), ({ name }) => name);
    assertEquals(library.namesIn(self)?.sort(), names.sort());
    assert(library.namesIn("/proc")?.includes(String(Deno.pid)));
  },
});

Deno.test({
  ...needing("CLibrary leaves no file open, and none to a child", NEEDS),
  async fn() {
    assert(library !== null);
    const folder = `/proc/${Deno.pid}/fd`;
    const count = () => Array.from(Deno.readDirSync(folder)).length;
    const before = count();
    for (let round = 0; round < 50; round++) {
      library.textOf("/proc/self/stat");
      library.namesIn("/proc/self/fd");
      library.textOf("/proc/self/mem");
      library.namesIn("/nothing");
    }
    assertEquals(count(), before);
    const file = library.open("/proc/self/stat");
    assert(file !== null);
    const child = new Deno.Command("ls", { args: ["/proc/self/fd"] });
    const seen = new TextDecoder().decode((await child.output()).stdout).split("\n");
    library.close(file);
    assert(!seen.includes(String(file)), `${file} of ${seen}`);
  },
});
