import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { needing, succeeds } from "../support/capability.ts";
import { CONFIG, ROOT } from "../support/cli.ts";
import { Swarm, taskIn } from "../support/swarm.ts";

const EXAMPLES = join(ROOT, "examples");
const TOOLS = { "a shell": succeeds("sh", "-c", "command -v sed tr sort uniq awk") };
const TAR = { ...TOOLS, tar: succeeds("tar", "--version") };

/** The output that a task of the last run has published. */
function published(swarm: Swarm, name: string): string {
  return swarm.read("output", name);
}

Deno.test({
  ...needing(
    "examples/review: three agents write, each result is reviewed twice, one joins them",
    TOOLS,
  ),
  async fn() {
    await using swarm = new Swarm();
    const { code, stderr } = await swarm.skein(["run", join(EXAMPLES, "review/swarm.jsonc")]);
    assertEquals(code, 0, stderr);
    const report = swarm.report();
    assertEquals(report.counts.succeeded, 8);
    assertEquals(taskIn(report, "review-tests").passes, 2);
    assertEquals(taskIn(report, "code-printer").attempts, 2, "the overloaded model is asked again");
    assertEquals(taskIn(report, "code-parser").attempts, 1);
    const reviewed = (module: string) => [
      "// Task: Add a flag --quiet that prints nothing but errors",
      `export const ${module} = "quiet";`,
      `// Review 1 of review-${module}: read, nothing to change`,
      `// Review 2 of review-${module}: read, nothing to change`,
      "",
    ];
    assertEquals(
      published(swarm, "merge"),
      ["parser", "printer", "tests"].map((module) => reviewed(module).join("\n")).join(""),
    );
  },
});

Deno.test({
  ...needing(
    "examples/mapreduce: a program writes the manifest, the words of all files are summed",
    TOOLS,
  ),
  async fn() {
    await using swarm = new Swarm();
    const made = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-q", "--no-prompt", "--allow-read", "--config", CONFIG],
        join(EXAMPLES, "mapreduce/manifest.ts"),
        join(EXAMPLES, "mapreduce/texts"),
      ],
    }).output();
    const manifest = new TextDecoder().decode(made.stdout);
    const { code, stderr } = await swarm.skein(["run", "-"], { stdin: manifest });
    assertEquals(code, 0, stderr);
    assertEquals(swarm.report().counts.total, 4);
    const lines = published(swarm, "reduce").split("\n");
    assertEquals(lines.slice(0, 4), ["5 yarn", "3 red", "2 a", "2 and"]);
    assertEquals(lines.length - 1, 12, "each word once");
  },
});

Deno.test({
  ...needing(
    "examples/build: the archive has every page, and a page with a dead link leaves none",
    TAR,
  ),
  async fn() {
    await using swarm = new Swarm();
    for (const name of ["site.jsonc", "build.sh", "pages/index.txt", "pages/guide.txt"]) {
      Deno.mkdirSync(swarm.path("pages"), { recursive: true });
      Deno.copyFileSync(join(EXAMPLES, "build", name), swarm.path(name));
    }
    const whole = await swarm.skein(["run", "site.jsonc"]);
    assertEquals(whole.code, 0, whole.stderr);
    const archive = swarm.inRun("output", "site");
    const { stdout } = await new Deno.Command("tar", { args: ["-tf", archive] }).output();
    assertEquals(new TextDecoder().decode(stdout).trim().split("\n"), ["index", "guide"]);
    assertStringIncludes(published(swarm, "index"), "<title>Skein</title>\n<p>Start with");

    swarm.write("pages/guide.txt", '<p>See <a href="nowhere">that</a>.\n');
    const broken = await swarm.skein(["run", "site.jsonc"]);
    assertEquals(broken.code, 3, broken.stderr);
    const report = swarm.report();
    assertEquals(taskIn(report, "links").status, "failed");
    assertEquals(taskIn(report, "site").status, "skipped");
    assertStringIncludes(
      swarm.read("data", "links.1.stderr"),
      'Page "guide" links to "nowhere", which is not there',
    );
  },
});
