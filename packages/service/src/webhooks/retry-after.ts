/** Longer than that nobody is waited for. @units milliseconds */
const LONGEST = 24 * 60 * 60 * 1_000;

/** Reads a Retry-After header, seconds or a date. -> undefined for none, or one that can't be read @units milliseconds */
export const retryAfterMs = (header: string | undefined, now: Date): number | undefined => {
  const text = header?.trim() ?? "";
  const ms = /^\d{1,9}$/.test(text)
    ? Number(text) * 1_000
    : /[a-z]/i.test(text)
      ? Date.parse(text) - now.getTime()
      : NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST);
};
