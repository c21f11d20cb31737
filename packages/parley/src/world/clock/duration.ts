import { DURATION_UNITS_MS } from "@parley/contract";

const UNITS: Readonly<Record<string, number>> = DURATION_UNITS_MS;

const PLAIN = /^(?:\d+(?:\.\d+)?(?:ms|[wdhms]))+$/;
const ISO = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** Parses a duration such as `1d`, `90m`, `1h30m`, `500ms` or `PT2H`. -> undefined for other texts @units milliseconds */
export function durationOf(text: string): number | undefined {
  const plain = text.replaceAll(" ", "").toLowerCase();
  if (PLAIN.test(plain)) {
    const parts = [...plain.matchAll(/(\d+(?:\.\d+)?)(ms|[wdhms])/g)];
    return Math.round(parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (UNITS[unit] ?? 0), 0));
  }
  const parts = ISO.exec(text.trim().toUpperCase())?.slice(1);
  if (!parts || parts.every((part) => part === undefined)) return undefined;
  return Math.round(
    ["w", "d", "h", "m", "s"].reduce((sum, unit, place) => sum + Number(parts[place] ?? 0) * (UNITS[unit] ?? 0), 0),
  );
}
