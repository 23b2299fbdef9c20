import type { Place } from "./place.ts";

const ECHO = ["sh", "-c", "echo done"];

function manifest(name: string, build: readonly string[]): string {
  return JSON.stringify({
    version: 1,
    name,
    blocks: {
      fetch: { argv: ECHO },
      build: { argv: build, retry: { maxAttempts: 2, backoffMs: 0 } },
    },
    tasks: [{ id: "fetch", block: "fetch" }, { id: "build", block: "build", needs: ["fetch"] }],
  });
}

/** Writes the manifests that pages speak of: what they run ends at once. */
export function writeManifests(place: Place): void {
  for (const name of ["swarm.json", "swarm.jsonc", "nightly.json"]) {
    place.write(name, manifest(name.replace(/\..*$/, ""), ECHO));
  }
  place.write("failing.json", manifest("nightly", ["sh", "-c", "exit 1"]));
  place.write("slow.json", manifest("nightly", ["sh", "-c", "echo started; sleep 20"]));
}
