import { platform } from "./select.ts";

/**
 * The programs that looking at processes and ending them needs here, as far as this process may not start them; none
 * where it may start every program, since then it needs none.
 */
export function missingTools(): string[] {
  if (isGranted({ name: "run" })) return [];
  return platform.tools.filter((command) => !isGranted({ name: "run", command }));
}

function isGranted(descriptor: Deno.RunPermissionDescriptor): boolean {
  const { state, partial } = Deno.permissions.querySync(descriptor);
  return state === "granted" && !partial;
}
