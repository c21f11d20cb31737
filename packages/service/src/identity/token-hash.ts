import { createHash } from "node:crypto";

const PREFIX = "parley_";
/** Random bytes of a token. */
const TOKEN_BYTES = 32;
const TOKEN = /^parley_[A-Za-z0-9_-]{43}$/;

/** Creates a token. Its prefix lets secret scanners find leaked tokens in source code. */
export const newToken = (random: (count: number) => Buffer): string =>
  PREFIX + random(TOKEN_BYTES).toString("base64url");

/** Whether a text has the format of a token. Other texts need no lookup. */
export const isTokenShaped = (text: string): boolean => TOKEN.test(text);

/** The stored form of a token. A plain hash is sufficient, since the token is fully random. */
export const hashOf = (token: string): Buffer => createHash("sha256").update(token).digest();
