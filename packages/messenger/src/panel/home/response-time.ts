import type { MessengerConfiguration } from "@parley/contract";
import type { Display } from "../elements/display.ts";

const HOUR_MINUTES = 60;
/** @units minutes: above it hours are shown, then a day; a longer time is not shown. */
const IN_MINUTES_MAX = 50;
const IN_HOURS_MAX = 8.5 * HOUR_MINUTES;
const IN_DAY_MAX = 24 * HOUR_MINUTES;
/** Minutes are exact up to here, and then multiples of it. */
const EXACT_MINUTES_MAX = 5;

/** -> how long the business usually takes to answer, while it is open: rounded, since it is a figure of the past */
export const responseTimeText = (
  { is_open, response_minutes: minutes }: Pick<MessengerConfiguration, "is_open" | "response_minutes">,
  { texts }: Pick<Display, "texts">,
): string | undefined => {
  if (!is_open || minutes === undefined || minutes > IN_DAY_MAX) return undefined;
  if (minutes > IN_HOURS_MAX) return texts.answersInDay;
  if (minutes > IN_MINUTES_MAX) {
    return texts.answersInHours(Math.max(1, Math.round(minutes / HOUR_MINUTES)));
  }
  return texts.answersInMinutes(
    minutes <= EXACT_MINUTES_MAX ? minutes : Math.round(minutes / EXACT_MINUTES_MAX) * EXACT_MINUTES_MAX,
  );
};
