import { randomBytes } from "node:crypto";

/** Random text of characters that need no quoting in a URL or a statement. @units bytes of entropy */
export const randomText = (bytes: number): string => randomBytes(bytes).toString("base64url");

/** Random salt for a key derived from a password. */
export const randomSalt = (bytes: number): Buffer => randomBytes(bytes);
