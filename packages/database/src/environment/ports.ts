import { randomBytes } from "node:crypto";

/** Text that nobody can guess, of characters that need no quotes in a URL or a statement. */
export const randomText = (bytes: number): string => randomBytes(bytes).toString("base64url");

/** A salt for a key that is derived from a password. */
export const randomSalt = (bytes: number): Buffer => randomBytes(bytes);
