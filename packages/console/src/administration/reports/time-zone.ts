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

const OFFSET = /GMT([+-])(\d\d):(\d\d)/;

/** @shape timezone: a name that the service accepts */
export const reportZone = (timezone: string): ReportZone => {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: timezone, timeZoneName: "longOffset" });
  /** @units milliseconds */
  const offsetAt = (instant: number): number => {
    const [, sign, hours, minutes] = OFFSET.exec(format.format(instant)) ?? [];
    const size = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
    return sign === "-" ? -size : size;
  };
  const wallTime = (instant: number): string => new Date(instant + offsetAt(instant)).toISOString();
  return {
    name: timezone,
    dayOf: (instant) => wallTime(instant).slice(0, 10),
    startOfDay(day, daysLater = 0) {
      const wall = Date.parse(`${day}T00:00:00Z`) + daysLater * DAY_MS;
      const candidates = [wall - offsetAt(wall - DAY_MS), wall - offsetAt(wall + DAY_MS)];
      // Where clocks skip midnight, the day begins with the change.
      return candidates.find((instant) => instant + offsetAt(instant) === wall) ?? Math.max(...candidates);
    },
    isoTime(instant) {
      const offset = offsetAt(instant);
      const minutes = Math.abs(offset) / 60_000;
      const parts = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0"));
      return `${wallTime(instant).slice(0, 19)}${offset === 0 ? "Z" : `${offset < 0 ? "-" : "+"}${parts.join(":")}`}`;
    },
  };
};
