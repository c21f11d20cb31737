/** The machine's clock and chance, for pauses between tries: the only place that asks for them. */
export const now = (): number => Date.now();
/** -> 0 to 1 */
export const chance = (): number => Math.random();
