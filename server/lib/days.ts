/** A day of the calendar. @shape 2026-12-31 */
export type Day = string;

/** @units milliseconds */
export const DAY = 86_400_000;

export const startOfDay = (day: Day): number => Date.parse(`${day}T00:00:00Z`);
export const dayAt = (time: number): Day => new Date(time).toISOString().slice(0, 10);

/** Whether the calendar contains the day: it does not contain 2026-02-30. */
export const isDay = (text: string): boolean => {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? startOfDay(text) : NaN;
  return !Number.isNaN(time) && dayAt(time) === text;
};

export const daysAfter = (day: Day, days: number): Day => dayAt(startOfDay(day) + days * DAY);

/** 0 for Sunday. */
export const weekdayOf = (day: Day): number => new Date(startOfDay(day)).getUTCDay();
