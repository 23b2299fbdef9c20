/**
 * Numbers and tables, in Markdown.
 *
 * @module
 */
import { type Group, median, medianMs, percentile95, type Sample, type Series } from "./samples.ts";

/** A number with three digits that count. */
export function figure(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  const text = value.toFixed(digits);
  return text.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ",");
}

/** A table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

/** A further column: its head, and what stands in it. */
export type Column = readonly [head: string, cell: (series: Series, ms: number) => string];

/** The table of a group: medians, 95th percentiles, ratios to the one that the others are compared with. */
export function groupTable(group: Group, columns: readonly Column[] = []): string {
  const base = medianMs(group, group.base);
  const head = [
    "",
    "median, ms",
    "95th percentile, ms",
    `times ${group.base}`,
    ...columns.map(([name]) => name),
  ];
  return table(
    head,
    group.series.map((series) => {
      const ms = medianMs(group, series.name);
      if (ms === null) {
        return [
          series.name,
          `none: ${reasonText(series.failure ?? "no sample")}`,
          ...head.slice(2).fill(""),
        ];
      }
      return [
        series.name,
        figure(ms),
        figure(percentile95(series.samples.map((sample) => sample.ms))),
        base === null ? "–" : figure(ms / base),
        ...columns.map(([, cell]) => cell(series, ms)),
      ];
    }),
  );
}

/** The median of what the samples say of memory. */
export function bytesOf({ samples }: Series): string {
  const known = samples.map(({ bytes }: Sample) => bytes ?? null).filter((each) => each !== null);
  return figure(median(known));
}

/** What went wrong, on one line, without the addresses and paths of this machine. */
export function reasonText(message: string): string {
  const [line = ""] = message.split("\n");
  return line.replace(/\S*\/\S*/g, "…").replaceAll("|", "\\|").slice(0, 120);
}
