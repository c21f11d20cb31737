import { timeZoneOf } from "@parley/contract/display";

/** Days of a time zone. @units milliseconds since the epoch */
export interface ReportZone {
  /** Such as Europe/Berlin. */
  readonly name: string;
  /** The day of an instant. @shape 2026-03-12 */
  dayOf(instant: number): string;
  /** The first instant of a day, or of a later day. @shape day: 2026-03-12 */
  startOfDay(day: string, daysLater?: number): number;
  /** An instant as its clock shows it. @shape 2026-03-12T00:00:00+01:00 */
  isoTime(instant: number): string;
}

const DAY_MS = 86_400_000;

/** @shape timezone: a name that the service accepts */
export const reportZone = (timezone: string): ReportZone => {
  const zone = timeZoneOf(timezone);
  const wallTime = (instant: number): string => new Date(instant + zone.offsetAt(instant)).toISOString();
  return {
    name: timezone,
    dayOf: (instant) => wallTime(instant).slice(0, 10),
    startOfDay: (day, daysLater = 0) => zone.instantOf(Date.parse(`${day}T00:00:00Z`) + daysLater * DAY_MS),
    isoTime(instant) {
      const offset = zone.offsetAt(instant);
      const minutes = Math.abs(offset) / 60_000;
      const parts = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0"));
      return `${wallTime(instant).slice(0, 19)}${offset === 0 ? "Z" : `${offset < 0 ? "-" : "+"}${parts.join(":")}`}`;
    },
  };
};
