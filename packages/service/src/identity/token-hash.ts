import { createHash } from "node:crypto";

const PREFIX = "parley_";
/** Of what makes a token impossible to guess. */
const BYTES = 32;
const TOKEN = /^parley_[A-Za-z0-9_-]{43}$/;

/** Makes a token's text: the prefix lets scanners of source code find one that leaked. */
export const newToken = (random: (count: number) => Buffer): string => PREFIX + random(BYTES).toString("base64url");

/** Tells a text that no token can be from one that has to be looked up. */
export const isTokenShaped = (text: string): boolean => TOKEN.test(text);

/** What is kept of a token. It is random in full, so that a plain hash can't be turned back. */
export const hashOf = (token: string): Buffer => createHash("sha256").update(token).digest();
