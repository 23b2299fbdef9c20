// deno-lint-ignore-file no-console -- its output is the manifest
/**
 * Map and reduce over the files of a folder: writes a manifest with a task for each file, and one that joins them. A
 * manifest is data, so whatever can print JSON can make one.
 *
 * ```sh
 * deno run --allow-read examples/mapreduce/manifest.ts examples/mapreduce/texts | skein run -
 * skein logs latest reduce
 * ```
 *
 * @module
 */
const [folder = "."] = Deno.args;

const files = Array.from(Deno.readDirSync(folder))
  .filter(({ isFile }) => isFile)
  .map(({ name }) => Deno.realPathSync(`${folder}/${name}`))
  .sort();

/** The words of a text, one a line, with how often each is in it. */
const COUNT =
  "tr -cs '[:alpha:]' '\\n' | tr '[:upper:]' '[:lower:]' | sed '/^$/d' | sort | uniq -c";

/** The sums of all counts, the most frequent word first. The shell sees only its own variables, never a file's name. */
const SUM = [
  'cat "$SKEIN_STATE_DIR/runs/$SKEIN_RUN_ID/output/"map-*',
  "awk '{ sum[$2] += $1 } END { for (word in sum) print sum[word], word }'",
  "sort -k1,1nr -k2",
].join(" | ");

// Ids by number: a file's name may have anything in it, and an id stands in the path of its output.
const maps = files.map((stdinFile, index) => ({ id: `map-${index + 1}`, block: "map", stdinFile }));
const reduce = { id: "reduce", block: "reduce", needs: maps.map(({ id }) => id) };

const manifest = {
  version: 1,
  name: "word-count",
  workers: 4,
  blocks: {
    map: { argv: ["sh", "-c", COUNT], timeoutMs: 60_000 },
    reduce: { argv: ["sh", "-c", SUM], timeoutMs: 60_000 },
  },
  tasks: [...maps, reduce],
};
console.log(JSON.stringify(manifest, null, 2));
