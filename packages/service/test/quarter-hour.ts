const QUARTER_MS = 15 * 60_000;

/**
 * Time until the next quarter of an hour. Attempts to sign in are counted by quarters of an hour: a test that counts them sets its clock ahead by
 * this time, since a quarter that ends during the test would begin a new count. @units milliseconds
 */
export const untilQuarterMs = (): number => QUARTER_MS - (Date.now() % QUARTER_MS);
