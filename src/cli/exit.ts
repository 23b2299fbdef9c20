/** The exit codes. Of several outcomes, stopped beats a signal beats a failed task. */
export const EXIT = {
  /** Success. */
  ok: 0,
  /** An operational error, or an invalid manifest. */
  error: 1,
  /** A wrong command line. */
  usage: 2,
  /** A task failed. */
  failed: 3,
  /** The swarm is stopped. */
  stopped: 4,
  /** SIGHUP. */
  hangup: 129,
  /** SIGINT. */
  interrupted: 130,
  /** SIGTERM. */
  terminated: 143,
} as const;

/** Whether a code stands although the answer could not be written: the swarm is stopped, or a signal came. */
export function outranksOutput(code: number): boolean {
  return code === EXIT.stopped || code >= EXIT.hangup;
}

/** What each code means, for the help texts. */
export const EXIT_MEANINGS: Readonly<Record<number, string>> = {
  0: "success",
  1: "operational error, invalid manifest",
  2: "usage error",
  3: "a task failed",
  4: "the swarm is stopped",
  129: "ended by HUP",
  130: "ended by INT (Ctrl-C)",
  143: "ended by TERM",
};
