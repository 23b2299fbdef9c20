import { Ajv } from "ajv";
import { assert, assertEquals } from "@std/assert";
import { type Decoded, manifestSchema, parseManifest } from "../../src/manifest/mod.ts";
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

/** The value of a fixture whose text is JSON: a schema never sees another. */
function jsonOf(fixture: Fixture): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(new TextDecoder().decode(read(fixture))) };
  } catch (error) {
    assert(error instanceof SyntaxError);
    return undefined;
  }
}
