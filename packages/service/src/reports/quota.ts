/** How many reports of an event an account may ask for. */
export interface ReportQuota {
  readonly perMinute: number;
  readonly perDay: number;
}

export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

/** Of those asked for before, the one whose age frees a place in the minute, and in the day; null: there is room. */
export interface Standing {
  readonly minute: Date | null;
  readonly day: Date | null;
}

/**
 * How long until one more report may be asked for; 0: now.
 * @units seconds
 * @assumed The last minute and the last 24 hours count, not those of the calendar; refused requests do not.
 */
export const waitFor = ({ minute, day }: Standing, now: Date): number => {
  const until = Math.max(minute ? minute.getTime() + MINUTE : 0, day ? day.getTime() + DAY : 0);
  return Math.max(0, Math.ceil((until - now.getTime()) / 1000));
};
