import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { parse } from "yaml";
import { ROOT } from "../support/cli.ts";

const read = (path: string) => Deno.readTextFileSync(join(ROOT, path));
const { version, license } = JSON.parse(read("deno.json"));

/** What the schema of the Citation File Format 1.2.0 says of the keys that are used here. */
const KEYS: Readonly<Record<string, (value: unknown) => boolean>> = {
  "cff-version": (value) => value === "1.2.0",
  message: isText,
  type: (value) => value === "software" || value === "dataset",
  title: isText,
  abstract: isText,
  authors: (value) => Array.isArray(value) && value.length > 0 && value.every(isEntity),
  version: (value) => isText(value) || typeof value === "number",
  license: isText,
  keywords: (value) =>
    Array.isArray(value) && value.length > 0 && value.every(isText) && isUnique(value),
};
const REQUIRED = ["authors", "cff-version", "message", "title"];

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isUnique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

/** An author that is no person has a name, and no given or family name. */
function isEntity(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).join() === "name" &&
    isText((value as { name: unknown }).name);
}

/** What is wrong with a citation file. */
function problemsOf(citation: Readonly<Record<string, unknown>>): string[] {
  const missing = REQUIRED.filter((key) => citation[key] === undefined);
  const wrong = Object.keys(citation).filter((key) => KEYS[key]?.(citation[key]) !== true);
  return [...missing, ...wrong];
}

Deno.test("CITATION.cff is a citation file of format 1.2.0, of this version and license", () => {
  const citation = parse(read("CITATION.cff"));
  assertEquals(problemsOf(citation), []);
  assertEquals([citation.version, citation.license], [version, license]);
});

Deno.test("a citation file without an author, with a person or with an unknown key is found", () => {
  const { authors: _, ...anonymous } = parse(read("CITATION.cff"));
  assertEquals(problemsOf(anonymous), ["authors"]);
  assertEquals(problemsOf({ ...anonymous, authors: [{ "given-names": "A" }] }), ["authors"]);
  assertEquals(problemsOf({ ...anonymous, authors: [{ name: "A" }], date: "today" }), ["date"]);
});

Deno.test("CHANGELOG.md has the version of the package, above every older one", () => {
  const versions = Array.from(read("CHANGELOG.md").matchAll(/^## (\S+)/gm), ([, one]) => one);
  assertEquals(versions[0], version);
  assert(versions.every((one) => /^\d+\.\d+\.\d+$/.test(one ?? "")));
});
