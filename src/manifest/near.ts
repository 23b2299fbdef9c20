const FARTHEST = 3;

/**
 * The name among `candidates` that was probably meant by `name`, or `null`: the one with the fewest insertions,
 * deletions, replacements and swaps of neighbours (restricted Damerau–Levenshtein distance), at most a third of
 * the name's length, at least one, but never a whole name. Of equally near ones the first.
 */
export function nearest(name: string, candidates: Iterable<string>): string | null {
  let most = Math.min(FARTHEST, name.length - 1, Math.max(1, Math.floor(name.length / 3)));
  let best: string | null = null;
  const lower = name.toLowerCase();
  for (const candidate of candidates) {
    if (candidate === name || Math.abs(candidate.length - name.length) > most) continue;
    const far = candidate.toLowerCase() === lower ? 0 : distance(name, candidate, most);
    if (far <= most) {
      best = candidate;
      most = far - 1;
      if (most < 0) break;
    }
  }
  return best;
}

/** `, did you mean "…"?` or nothing. */
export function meant(name: string, candidates: Iterable<string>): string {
  const near = nearest(name, candidates);
  return near === null ? "" : `, did you mean ${JSON.stringify(near)}?`;
}

/** The distance of two names, or something above `most` as soon as it is sure to be more. */
function distance(a: string, b: string, most: number): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cell = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cell = Math.min(cell, at(before, j - 2) + 1);
      }
      row.push(cell);
      least = Math.min(least, cell);
    }
    if (least > most) return least;
    before = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
