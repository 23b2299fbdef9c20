/** Prints what a test has measured, for whoever reads its log. */
export function report(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}
