/** What aborts a signal that nobody asks for its reason: one of its own spares the making of an error with a stack. */
export const OVER = "over";
