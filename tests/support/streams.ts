/** What was written to a standard stream while something ran, instead of being shown. */
export async function captured(
  stream: "stdout" | "stderr",
  act: () => void | Promise<unknown>,
  write: (bytes: Uint8Array) => number = (bytes) => bytes.length,
): Promise<string> {
  const target = Deno[stream];
  const original = target.writeSync;
  const decoder = new TextDecoder();
  let text = "";
  target.writeSync = (bytes) => {
    const written = write(bytes);
    text += decoder.decode(bytes.subarray(0, written), { stream: true });
    return written;
  };
  try {
    await act();
  } finally {
    target.writeSync = original;
  }
  return text;
}
