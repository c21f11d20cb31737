import { createHash } from "node:crypto";

/** A name of at most 30 characters for something whose id is longer, such as a schedule: the same for the same id. */
export const shortName = (kind: string, id: string): string =>
  `${kind}-${createHash("sha256")
    .update(id)
    .digest("base64url")
    .slice(0, 29 - kind.length)}`;
