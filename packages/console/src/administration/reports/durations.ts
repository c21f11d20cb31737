import { currentLanguage, regionalFormOf } from "../../i18n/language.ts";

const locale = regionalFormOf(currentLanguage(), navigator.languages);
const unitFormat = (unit: string, digits = 0) =>
  new Intl.NumberFormat(locale, {
    style: "unit",
    unit,
    unitDisplay: "narrow",
    useGrouping: false,
    maximumFractionDigits: digits,
  });

const DAYS = { ms: 86_400_000, format: unitFormat("day") };
const HOURS = { ms: 3_600_000, format: unitFormat("hour") };
const MINUTES = { ms: 60_000, format: unitFormat("minute") };
const SECONDS = { ms: 1_000, format: unitFormat("second", 3) };

/** Units of a text, the largest first; the last one that is given takes the rest. */
const joined = (ms: number, units: readonly (typeof DAYS)[]): string => {
  const texts: string[] = [];
  let rest = ms;
  for (const [index, unit] of units.entries()) {
    const isLast = index === units.length - 1;
    const count = isLast ? rest / unit.ms : Math.floor(rest / unit.ms);
    rest -= count * unit.ms;
    if (count > 0 || (isLast && texts.length === 0)) texts.push(unit.format.format(count));
  }
  return texts.join(" ");
};

/** Without loss, to the millisecond: `1h 2m 3.5s`. @units seconds */
export const exactDuration = (seconds: number): string =>
  joined(Math.round(seconds * 1_000), [DAYS, HOURS, MINUTES, SECONDS]);

const roundedTo = (ms: number, step: number): number => Math.round(ms / step) * step;

/** In at most two units, rounded to the smaller unit: `1h 2m`. @units seconds */
export const roundDuration = (seconds: number): string => {
  const ms = Math.round(seconds * 1_000);
  if (ms < 10_000) return joined(roundedTo(ms, 100), [SECONDS]);
  if (roundedTo(ms, SECONDS.ms) < HOURS.ms) return joined(roundedTo(ms, SECONDS.ms), [MINUTES, SECONDS]);
  if (roundedTo(ms, MINUTES.ms) < DAYS.ms) return joined(roundedTo(ms, MINUTES.ms), [HOURS, MINUTES]);
  return joined(roundedTo(ms, HOURS.ms), [DAYS, HOURS]);
};

/** Steps of an axis that people can read. @units seconds */
const STEPS = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30],
  ...[60, 120, 300, 600, 900, 1_800],
  ...[3_600, 7_200, 10_800, 21_600, 43_200],
  ...[86_400, 172_800, 432_000, 864_000, 2_592_000],
];
const TICKS_MAX = 5;

/** Values of an axis from 0 to at least the maximum. @units seconds */
export const durationTicks = (maximum: number): readonly number[] => {
  const last = STEPS.at(-1) ?? 1;
  const step = STEPS.find((each) => maximum / each <= TICKS_MAX) ?? last * Math.ceil(maximum / TICKS_MAX / last);
  const count = Math.max(1, Math.ceil(maximum / step));
  return Array.from({ length: count + 1 }, (_, index) => Math.round(index * step * 10) / 10);
};
