/** A command line that cannot be understood. */
export class UsageError extends Error {
  /** What to do instead. */
  readonly next: string;

  /** Makes the error. */
  constructor(message: string, next = "See `skein help`") {
    super(message);
    this.name = "UsageError";
    this.next = next;
  }
}
