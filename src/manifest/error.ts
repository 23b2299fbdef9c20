import { SkeinError } from "../model/error.ts";
import type { Diagnostic } from "../model/manifest.ts";

const MOST_LINES = 100;

/** Thrown where a manifest was needed and the document is none. */
export class ManifestError extends SkeinError {
  /** The file, as it was given. */
  readonly file: string;
  /** Every problem, in the order of the document. */
  readonly diagnostics: readonly Diagnostic[];

  /** Makes the error for a file and its problems. */
  constructor(file: string, diagnostics: readonly Diagnostic[]) {
    super("manifest-invalid", listing(file, diagnostics), {
      where: file,
      next: "Correct the manifest, then check it with `skein validate`",
    });
    this.file = file;
    this.diagnostics = diagnostics;
  }
}

/** A diagnostic as compilers write it: `file:line:column: message ($.path)`. */
export function formatDiagnostic(file: string, diagnostic: Diagnostic): string {
  const { line, column, message, path } = diagnostic;
  return `${line === 0 ? file : `${file}:${line}:${column}`}: ${message} (${path})`;
}

function listing(file: string, diagnostics: readonly Diagnostic[]): string {
  const lines = diagnostics.slice(0, MOST_LINES).map((each) => formatDiagnostic(file, each));
  const more = diagnostics.length - lines.length;
  return [...lines, ...(more > 0 ? [`${file}: and ${more} more problems`] : [])].join("\n");
}
