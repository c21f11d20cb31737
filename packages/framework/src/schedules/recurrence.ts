import type { Repeat } from "@parley/contract";

/** @units milliseconds */
const UNITS: Readonly<Record<Repeat["time_unit"], number>> = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

/** What recurs: where it begins, and how often. */
export interface Recurring {
  readonly schedule_at: Date;
  readonly time_unit: Repeat["time_unit"] | null;
  readonly frequency: number | null;
}

/**
 * The next time after `now` on the grid that begins at `schedule_at`; null for what does not repeat.
 * @assumed What was missed while no host ran fires once, however often it was missed; then the schedule goes on in its own
 * rhythm. A day has 24 hours.
 */
export const nextAfter = (now: Date, { schedule_at, time_unit, frequency }: Recurring): Date | null => {
  if (time_unit === null || frequency === null) return null;
  const period = UNITS[time_unit] * frequency;
  const turns = Math.floor((now.getTime() - schedule_at.getTime()) / period) + 1;
  return new Date(schedule_at.getTime() + Math.max(turns, 0) * period);
};
