import { createHash } from "node:crypto";

/** Returns a name of at most 30 characters for an object with a longer id, such as a schedule. Equal ids have equal names. */
export const hashedName = (kind: string, id: string): string =>
  `${kind}-${createHash("sha256")
    .update(id)
    .digest("base64url")
    .slice(0, 29 - kind.length)}`;
