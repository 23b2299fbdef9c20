import { Ajv } from "ajv";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { type Decoded, parseManifest, validateManifest } from "../../src/manifest/mod.ts";
import { manifestSchema } from "../../src/manifest/schema.ts";
import { type Fixture, FIXTURES } from "./fixtures.ts";

const FOLDER = new URL("../fixtures/manifests/", import.meta.url);

function read({ file }: Fixture): Uint8Array {
  return Deno.readFileSync(new URL(file, FOLDER));
}

function decode(fixture: Fixture): Promise<Decoded> {
  return parseManifest(read(fixture), { file: fixture.file, folder: "/base" });
}

Deno.test("parseManifest() gives every fixture its verdict, each refusal with line, column, code and path", async () => {
  for (const fixture of FIXTURES) {
    const decoded = await decode(fixture);
    const refusals = decoded.ok ? [] : decoded.diagnostics.map(
      ({ line, column, code, path }) => `${line}:${column} ${code} ${path}`,
    );
    assertEquals(refusals, [...fixture.refusals], fixture.file);
    assertEquals(decoded.ok, fixture.refusals.length === 0, fixture.file);
  }
});

Deno.test("parseManifest() gives a draft exactly where the structure is right", async () => {
  for (const fixture of FIXTURES) {
    const decoded = await decode(fixture);
    if (!decoded.ok) assertEquals(decoded.draft !== null, fixture.draft ?? false, fixture.file);
  }
});

Deno.test("the table of fixtures names every file of the folder", () => {
  const files = Array.from(Deno.readDirSync(FOLDER), ({ name }) => name).sort();
  assertEquals(FIXTURES.map(({ file }) => file).toSorted(), files);
});

Deno.test("manifestSchema() gives every structural fixture the same verdict as the decoder", async () => {
  const validate = new Ajv({ strictTuples: false }).compile(manifestSchema());
  let compared = 0;
  for (const fixture of FIXTURES) {
    const value = jsonOf(fixture);
    if (value === undefined) continue;
    const { ok } = await decode(fixture);
    assertEquals(validate(value.json), ok || fixture.beyondSchema === true, fixture.file);
    compared++;
  }
  assert(compared > 40);
});

/** The diagnostics that a schema cannot give. */
const BEYOND = new Set([
  "unknown-block",
  "unknown-need",
  "own-need",
  "repeated-id",
  "long-id",
  "input-outside-needs",
  "cycle",
  "many-passes",
]);

Deno.test("manifestSchema() and the decoder agree on manifests with any value put anywhere", () => {
  const validate = new Ajv({ strictTuples: false }).compile(manifestSchema());
  const base = new TextDecoder().decode(
    Deno.readFileSync(new URL("ok-everything.json", FOLDER)),
  );
  const odd = fc.oneof(
    fc.json({ maxDepth: 2 }).map((text): unknown => JSON.parse(text)),
    fc.constantFrom<unknown>(
      0,
      -0,
      1,
      -1,
      1.5,
      2 ** 53,
      65_536,
      "",
      " ",
      "A=1",
      "=",
      "*",
      "A*",
      [],
    ),
    fc.string({ unit: "binary" }),
  );
  const keys = fc.constantFrom(
    "env",
    "needs",
    "stdin",
    "stdinFile",
    "argv",
    "retry",
    "x",
    "__proto__",
  );
  fc.assert(
    fc.property(fc.nat(), odd, fc.option(keys, { nil: undefined }), (where, value, key) => {
      const mutated = putAnywhere(JSON.parse(base), where, value, key);
      const decoded = validateManifest(mutated, { folder: "/base" });
      const structural = decoded.ok || decoded.diagnostics.every(({ code }) => BEYOND.has(code));
      assertEquals(validate(mutated), structural, JSON.stringify(decoded));
    }),
    { numRuns: 2_000 },
  );
});

/** Replaces one of the values of a document, or puts a member into one of its objects. */
function putAnywhere(
  root: object,
  where: number,
  value: unknown,
  key: string | undefined,
): unknown {
  const places: { owner: Record<string, unknown>; key: string }[] = [];
  const walk = (owner: Record<string, unknown>) => {
    for (const name of Object.keys(owner)) {
      places.push({ owner, key: name });
      const below = owner[name];
      if (typeof below === "object" && below !== null) walk(below as Record<string, unknown>);
    }
  };
  walk(root as Record<string, unknown>);
  const place = places[where % places.length];
  if (place === undefined) return value;
  const name = key !== undefined && !Array.isArray(place.owner) ? key : place.key;
  const settings = { value, enumerable: true, configurable: true, writable: true };
  Object.defineProperty(place.owner, name, settings);
  return root;
}

/** The value of a fixture whose text is JSON: a schema never sees another. */
function jsonOf(fixture: Fixture): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(new TextDecoder().decode(read(fixture))) };
  } catch (error) {
    assert(error instanceof SyntaxError);
    return undefined;
  }
}
