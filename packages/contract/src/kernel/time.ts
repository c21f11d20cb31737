/** Units of durations in texts. @units milliseconds */
export const DURATION_UNITS_MS = {
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
} as const;
export type DurationUnit = keyof typeof DURATION_UNITS_MS;

/** Parses one whole number with one of the units, such as `30d`. -> undefined for other texts @units milliseconds */
export const durationWithUnit = (text: string, units: readonly DurationUnit[]): number | undefined => {
  const [, count, name] = /^(\d{1,9})([a-z]+)$/.exec(text) ?? [];
  const unit = units.find((each) => each === name);
  return unit && Number(count) * DURATION_UNITS_MS[unit];
};

/** Whether a text is an existing day as YYYY-MM-DD: `Date.parse` accepts 30 February as 2 March. */
export const isCalendarDay = (text: string): boolean => {
  const time = Date.parse(`${text}T00:00:00.000Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
};
