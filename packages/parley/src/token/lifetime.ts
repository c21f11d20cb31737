import { UsageFailure } from "../failure.ts";

/** @units seconds */
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** Reads `30d`, `12h` or a time as the admin interface takes it. @errors UsageFailure */
export const lifetimeOf = (text: string): { expires_in_seconds: number } | { expires_time: string } => {
  const [, count, unit = ""] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  if (count !== undefined) return { expires_in_seconds: Number(count) * (UNITS[unit] ?? 0) };
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return { expires_time: new Date(time).toISOString() };
  throw new UsageFailure(
    `--expires takes a number with s, m, h, d or w, such as 30d or 12h, or a time such as 2027-01-31, not '${text}'.`,
  );
};
