import { randomUUID } from "node:crypto";

/** Clock and randomness of the client: the only module that reads them. */
export const now = (): number => Date.now();
/** Random number from 0 to 1. */
export const random = (): number => Math.random();
/** A unique idempotency key. */
export const newIdempotencyKey = (): string => randomUUID();
