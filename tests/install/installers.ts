/**
 * The two installers and how each is started here. One table of cases drives both.
 *
 * @module
 */
import { join } from "@std/path";
import { succeeds } from "../support/capability.ts";
import { ROOT } from "../support/cli.ts";

/** An installer. */
export interface Installer {
  /** Its name in the titles of tests. */
  readonly name: string;
  /** Its script. */
  readonly script: string;
  /** What starts the script. */
  readonly command: readonly string[];
  /** The binary of the release that it must choose here. */
  readonly file: string;
  /** The name of the installed binary. */
  readonly binary: string;
  /** The assignment of the release address in the script. */
  readonly constant: RegExp;
  /** The call that checks the digest. */
  readonly check: RegExp;
  /** What it needs of this machine. */
  readonly needs: Readonly<Record<string, boolean>>;
  /** The system that it must see; the folders of its user are in the given one. */
  readonly system: (home: string) => Record<string, string>;
  /** The default folder for binaries of that user. */
  readonly defaultFolder: (home: string) => string;
}

/** Whether this is the system of install.ps1, not only a machine that has PowerShell. */
export const ON_WINDOWS: boolean = Deno.build.os === "windows";

/** PowerShell tells its makers when it starts, unless it is told not to. */
const QUIET = { POWERSHELL_TELEMETRY_OPTOUT: "1", POWERSHELL_UPDATECHECK: "Off" };

/** Whether PowerShell is here. */
function hasPowerShell(): boolean {
  const args = ["-NoProfile", "-Command", "exit 0"];
  try {
    return new Deno.Command("pwsh", { args, env: QUIET, stdout: "null", stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
}

/** install.sh under a shell. */
export function shellInstaller(command: readonly string[]): Installer {
  const platform = Deno.build.os === "darwin" ? "apple-darwin" : "unknown-linux-gnu";
  const [program = ""] = command;
  return {
    name: command.join(" ") === "sh" ? "install.sh" : `install.sh under ${command.join(" ")}`,
    script: join(ROOT, "install.sh"),
    command,
    file: `skein-${Deno.build.arch}-${platform}`,
    binary: "skein",
    constant: /^RELEASE_URL=.*$/gm,
    check: /^ {2}verify$/gm,
    needs: {
      [command.join(" ")]: !ON_WINDOWS && succeeds(program, ...command.slice(1), "-c", "exit 0"),
      curl: succeeds("curl", "--version"),
    },
    system: (home) => ({ HOME: home }),
    defaultFolder: (home) => join(home, ".local", "bin"),
  };
}

/** install.sh. */
export const INSTALL_SH: Installer = shellInstaller(["sh"]);

/** install.ps1, which sees a Windows wherever PowerShell runs. */
export const INSTALL_PS1: Installer = {
  name: "install.ps1",
  script: join(ROOT, "install.ps1"),
  command: ["pwsh", "-NoProfile", "-NonInteractive", "-File"],
  file: "skein-x86_64-pc-windows-msvc.exe",
  binary: "skein.exe",
  constant: /^ {2}\$ReleaseUrl = .*$/gm,
  check: /\$found -cne \$digest/g,
  needs: { pwsh: hasPowerShell() },
  system: (home) => ({
    ...QUIET,
    HOME: home,
    OS: "Windows_NT",
    PROCESSOR_ARCHITECTURE: "AMD64",
    PROCESSOR_ARCHITEW6432: "",
    LOCALAPPDATA: home,
  }),
  defaultFolder: (home) => join(home, "Programs", "skein"),
};

/** Both. */
export const INSTALLERS: readonly Installer[] = [INSTALL_SH, INSTALL_PS1];

/** Whether an installer can be run here. */
export function isHere({ needs }: Installer): boolean {
  return Object.values(needs).every((met) => met);
}
