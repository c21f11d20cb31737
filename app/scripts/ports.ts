/** Environment of the page: its clock and random values. */
export const currentTime = (): Date => new Date();

/** Unique key of an action. Without crypto.randomUUID, which pages without a secure origin lack. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("-");
