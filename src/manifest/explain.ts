/**
 * The slow half of reading a text: loaded only where there is something to explain, since `jsonc-parser` costs
 * more to load than a small manifest to run.
 *
 * @module
 */
import { type JSONVisitor, printParseErrorCode, visit } from "jsonc-parser";
import type { Diagnostic } from "../model/mod.ts";
import { found, pathText, type Segment } from "./problem.ts";

/** What a tolerant reading of a text gives. */
export interface Reading {
  /** The first value of the text; of a repeated key the last member. */
  readonly value: unknown;
  /** Whether the value is whole, so that its structure is worth checking. */
  readonly whole: boolean;
  /** Syntax errors and repeated keys. */
  readonly diagnostics: Diagnostic[];
}

interface Frame {
  readonly container: Record<string, unknown> | unknown[];
  /** The line of each key, from 1. */
  readonly lines: Map<string, number>;
  /** The line on which it opens, from 1. */
  readonly line: number;
  /** The key whose value comes next. */
  key: string;
  /** Whether a key stands without its value yet. */
  waiting: boolean;
}

interface Spot {
  readonly line: number;
  readonly column: number;
}

/** Reads a text tolerantly: JSON, with comments and trailing commas if `comments`. */
export function readTolerantly(text: string, { comments }: { comments: boolean }): Reading {
  const reader = new Reader(text, comments);
  visit(text, reader.visitor(), { disallowComments: !comments, allowTrailingComma: true });
  return reader.reading();
}

/** Builds the value and collects the problems; after an error it cannot mend it reports nothing more. */
class Reader {
  readonly #text: string;
  readonly #comments: boolean;
  readonly #diagnostics: Diagnostic[] = [];
  readonly #stack: Frame[] = [];
  #root: unknown;
  #phase: "reading" | "read" | "over" | "broken" = "reading";
  /** The last separator, as long as nothing follows it. */
  #comma: Spot | null = null;
  /** The object or list that ended last. */
  #closed: Frame | null = null;

  constructor(text: string, comments: boolean) {
    this.#text = text;
    this.#comments = comments;
  }

  reading(): Reading {
    const whole = this.#phase === "read" || this.#phase === "over";
    return { value: this.#root, whole, diagnostics: this.#diagnostics };
  }

  visitor(): JSONVisitor {
    return {
      // Without a prototype, so that a member `__proto__` is a member.
      onObjectBegin: (_offset, _length, line) => this.#open(Object.create(null), line + 1),
      onArrayBegin: (_offset, _length, line) => this.#open([], line + 1),
      onObjectEnd: () => this.#close(),
      onArrayEnd: () => this.#close(),
      onObjectProperty: (key, _offset, _length, line, column) => {
        this.#key(key, { line: line + 1, column: column + 1 });
      },
      onLiteralValue: (value) => {
        this.#put(value);
        if (this.#stack.length === 0 && this.#phase === "reading") this.#phase = "read";
      },
      onSeparator: (separator, _offset, _length, line, column) => {
        if (separator === ",") this.#comma = { line: line + 1, column: column + 1 };
      },
      onError: (code, offset, length, line, column) => {
        const token = this.#text.slice(offset, offset + length);
        this.#error(printParseErrorCode(code), token, { line: line + 1, column: column + 1 });
      },
    };
  }

  #open(container: Frame["container"], line: number): void {
    this.#put(container);
    this.#stack.push({ container, lines: new Map(), line, key: "", waiting: false });
  }

  #close(): void {
    if (this.#comma !== null && !this.#comments && this.#phase === "reading") {
      this.#report("trailing-comma", "Expected no comma after the last entry", this.#comma);
    }
    this.#comma = null;
    if (this.#phase !== "reading") return;
    this.#closed = this.#stack.pop() ?? null;
    if (this.#stack.length === 0) this.#phase = "read";
  }

  #key(key: string, spot: Spot): void {
    this.#comma = null;
    const frame = this.#stack.at(-1);
    if (frame === undefined) return;
    frame.key = key;
    frame.waiting = true;
    const first = frame.lines.get(key);
    if (first === undefined) frame.lines.set(key, spot.line);
    else if (this.#phase === "reading") {
      const message = `Repeated key ${JSON.stringify(key)}, first on line ${first}`;
      this.#report("repeated-key", message, spot, [key]);
    }
  }

  #put(value: unknown): void {
    this.#comma = null;
    const frame = this.#stack.at(-1);
    if (frame === undefined) this.#root = value;
    else if (Array.isArray(frame.container)) frame.container.push(value);
    else {
      frame.container[frame.key] = value;
      frame.waiting = false;
    }
  }

  #error(code: string, token: string, spot: Spot): void {
    if (this.#phase === "over" || this.#phase === "broken") return;
    if (code === "InvalidCommentToken") {
      this.#report("comment", "Expected no comment: only a .jsonc file can have one", spot);
    } else if (code === "CloseBraceExpected" || code === "CloseBracketExpected") {
      const [open, close] = code === "CloseBraceExpected" ? ["{", "}"] : ["[", "]"];
      const message = `Expected "${close}" for the "${open}" of line ${this.#closed?.line}`;
      this.#phase = "broken";
      const more = this.#stack.slice(-1).map(segmentOf);
      this.#report("syntax", `${message}, ${at(token)}`, spot, more);
    } else if (this.#phase === "read" && code !== "UnexpectedEndOfComment") {
      this.#phase = "over";
      this.#report("second-value", `Expected one value and no more, ${at(token)}`, spot);
    } else {
      this.#phase = "broken";
      const here = code === "InvalidSymbol" || code === "ValueExpected";
      const needed = here ? this.#neededHere(token) : NEEDED[code];
      this.#report("syntax", `${needed ?? "Expected JSON"}, ${at(token)}`, spot);
    }
  }

  #neededHere(token: string): string {
    if (token.startsWith("'")) return "Expected double quotes";
    const frame = this.#stack.at(-1);
    if (frame === undefined || frame.waiting) return "Expected a value";
    const list = Array.isArray(frame.container);
    const fresh = this.#comma !== null || Object.keys(frame.container).length === 0;
    if (fresh) return list ? "Expected a value" : "Expected a key in double quotes";
    return `Expected "," or "${list ? "]" : "}"}"`;
  }

  #report(code: string, message: string, { line, column }: Spot, more: Segment[] = []): void {
    const path = this.#stack.slice(0, -1).map(segmentOf);
    this.#diagnostics.push({ code, message, path: pathText([...path, ...more]), line, column });
  }
}

/** The way from a container to the value in it that was read last. */
function segmentOf({ container, key }: Frame): Segment {
  return Array.isArray(container) ? container.length - 1 : key;
}

function at(token: string): string {
  return `found ${token === "" ? "the end of the document" : found(token)}`;
}

/** What each of the library's errors means for whoever wrote the text. */
const NEEDED: Readonly<Record<string, string>> = {
  InvalidNumberFormat: "Expected a number",
  UnexpectedEndOfNumber: "Expected a whole number or a decimal",
  PropertyNameExpected: "Expected a key in double quotes",
  ColonExpected: 'Expected ":" after the key',
  CommaExpected: 'Expected "," between the entries',
  UnexpectedEndOfComment: 'Expected "*/" at the end of the comment',
  UnexpectedEndOfString: "Expected a double quote at the end of the text",
  InvalidUnicode: String.raw`Expected four hexadecimal digits after "\u"`,
  InvalidEscapeCharacter: String.raw`Expected an escape of JSON, such as "\n"`,
  InvalidCharacter: String
    .raw`Expected no control character in the text, but an escape such as "\t"`,
};
