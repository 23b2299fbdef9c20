/** What stays on one line: a word, or words that are code, with what touches them. */
const PIECE = /(?:[^\s`]|`[^`]*`|`)+/g;

/** Fills lines of so many columns; an empty line stands between paragraphs. A piece that is longer has a line of its own. */
export function fill(text: string, columns: number): string[] {
  return text.trim().split(/\n\s*\n/).flatMap((paragraph, index) => {
    const lines = fillParagraph(paragraph.replaceAll(/\s+/g, " "), columns);
    return index === 0 ? lines : ["", ...lines];
  });
}

function fillParagraph(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const [piece] of text.matchAll(PIECE)) {
    if (line !== "" && line.length + 1 + piece.length > columns) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? piece : ` ${piece}`;
  }
  return [...lines, line];
}
