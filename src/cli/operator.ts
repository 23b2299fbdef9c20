/** Who asks, for the audit: the user and the machine, as far as they may be asked for. */
export function operatorName(): string {
  const user = quietly(() => Deno.env.get("USER") || Deno.env.get("LOGNAME") || undefined) ??
    quietly(() => Deno.uid()?.toString());
  const host = quietly(() => Deno.hostname());
  return [user, host].filter((part) => part !== undefined).join("@") || "operator";
}

function quietly(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
