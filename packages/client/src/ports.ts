import { randomUUID } from "node:crypto";

/** The machine's clock and chance, for pauses between tries and names of calls: the only place that asks for them. */
export const now = (): number => Date.now();
/** -> 0 to 1 */
export const chance = (): number => Math.random();
/** A name that no other call has. */
export const newKey = (): string => randomUUID();
