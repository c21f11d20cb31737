/** What the page takes from the machine that it runs on. */
export const currentTime = (): Date => new Date();

/** Names something that is to happen once. The page may have no secure origin, so without crypto.randomUUID. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("-");
