import type { SQLInputValue } from "node:sqlite";
import { REASONS } from "../../../reason/mod.ts";
import type { Row } from "../connection.ts";

/** An invariant, as the statement that finds what breaks it. */
export interface Check {
  /** Its name. */
  readonly name: string;
  /** Finds the rows that break it. Each names what it is about as `id`. */
  readonly sql: string;
  /** What the statement is given. */
  readonly values?: readonly SQLInputValue[];
  /** Whether a row that was found breaks it indeed, where SQL cannot tell. */
  broken?(row: Row): boolean;
  /** What is wrong with a row. */
  message(row: Row): string;
}

/** Every code of the catalogue, for `json_each`. */
export const CODES = JSON.stringify(Object.keys(REASONS));
