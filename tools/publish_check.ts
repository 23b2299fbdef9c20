/**
 * Whether the package could be published: `deno publish --dry-run`, which refuses slow types, imports without a version
 * and files that are not there. Where JSR cannot be reached, the same of a copy whose packages come from npm.
 *
 * @module
 */
import { type Config, registryConfig } from "./registry.ts";

/** What the dry run said. */
export interface Checked {
  /** Whether it could be published. */
  readonly ok: boolean;
  /** What was written about it. */
  readonly output: string;
}

/** The types have a gate of their own; a checkout that is worked on is not clean. */
const DRY_RUN = ["publish", "--dry-run", "--no-check", "--allow-dirty"];
const NPM_CONFIG: Config = "tools/npm/deno.json";

/** Checks a checkout. Writes nothing into it. */
export async function checkPublish(root: string, config: Config): Promise<Checked> {
  if (config !== NPM_CONFIG) return await dryRun(root);
  const copy = Deno.makeTempDirSync({ prefix: "skein-publish-" });
  try {
    copyWithNpm(root, copy);
    return await dryRun(copy);
  } finally {
    Deno.removeSync(copy, { recursive: true });
  }
}

/** Copies what is published, and makes the configuration name the packages as npm has them. */
function copyWithNpm(root: string, copy: string): void {
  const config = JSON.parse(Deno.readTextFileSync(`${root}/deno.json`));
  const { imports } = JSON.parse(Deno.readTextFileSync(`${root}/tools/npm/import_map.json`));
  const own = Object.keys(config.exports).map((path) => `${config.name}${path.slice(1)}`);
  const modules = new Set<string>();
  const targets = Object.entries(imports as Record<string, string>)
    .filter(([name]) => !own.includes(name))
    .map(([name, target]) => {
      if (!target.startsWith("./")) return [name, target];
      const path = `tools/npm/${target.slice(2)}`;
      modules.add(path);
      return [name, `./${path}`];
    });
  const include: string[] = config.publish.include;
  for (const path of [...include, ...modules]) copyPath(`${root}/${path}`, `${copy}/${path}`);
  const changed = {
    ...config,
    imports: Object.fromEntries(targets),
    publish: { include: [...include, ...modules] },
    lock: false,
  };
  Deno.writeTextFileSync(`${copy}/deno.json`, JSON.stringify(changed, null, 2));
}

function copyPath(from: string, to: string): void {
  if (!Deno.statSync(from).isDirectory) {
    Deno.mkdirSync(to.slice(0, to.lastIndexOf("/")), { recursive: true });
    return Deno.copyFileSync(from, to);
  }
  for (const { name } of Deno.readDirSync(from)) copyPath(`${from}/${name}`, `${to}/${name}`);
}

async function dryRun(cwd: string): Promise<Checked> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: DRY_RUN,
    cwd,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decoder = new TextDecoder();
  return { ok: success, output: decoder.decode(stdout) + decoder.decode(stderr) };
}

if (import.meta.main) {
  const root = decodeURIComponent(new URL("..", import.meta.url).pathname)
    .replace(/^\/(?=[A-Za-z]:)/, "").replace(/\/$/, "");
  const { ok, output } = await checkPublish(root, await registryConfig());
  // What went well is a list of every file.
  if (!ok) Deno.stderr.writeSync(new TextEncoder().encode(output));
  Deno.exit(ok ? 0 : 1);
}
