import type { BusinessHours } from "@parley/contract";
import type { SchemaForm } from "../../forms/schema-form.ts";
import { HOURS_SCHEMA } from "./contract-values.ts";
import { dayProblem, DAYS, normalizedSpans, weekOf, type OpeningSpan, type Week } from "./hours-values.ts";
import { hoursMessages as texts } from "./messages.ts";
import { ownTimeZone } from "./time-zones.ts";

/** Values of the form of business hours. */
export interface HoursValues {
  /** Name of the group; empty: the account. */
  readonly group: string;
  readonly timezone: string;
  readonly week: Week;
  /** Days as YYYY-MM-DD. */
  readonly holidays: readonly string[];
}

const OFFICE_HOURS: readonly OpeningSpan[] = [{ from: "09:00", to: "17:00" }];

/**
 * The form of business hours; new hours are office hours from Monday to Friday.
 * @shape hours: undefined for new hours; free: names of groups without business hours, of which an empty one is the account
 */
export const hoursForm = (
  hours: BusinessHours | undefined,
  free: readonly string[],
): SchemaForm<BusinessHours, HoursValues> => ({
  schema: HOURS_SCHEMA,
  members: {
    group: {
      label: texts.owner,
      initial: free[0] ?? "",
      isShown: () => hours === undefined,
      from: ({ group = "" }) => group,
      to: (group) => (group === "" ? {} : { group }),
    },
    timezone: { label: texts.timezone, initial: ownTimeZone() },
    week: {
      label: texts.week,
      initial: weekOf((day) => (day === "saturday" || day === "sunday" ? [] : OFFICE_HOURS)),
      from: ({ week }) => weekOf((day) => week[day] ?? []),
      to: (week) => ({
        week: Object.fromEntries(
          DAYS.filter((day) => week[day].length > 0).map((day) => [day, [...normalizedSpans(week[day])]]),
        ),
      }),
      check: (week) => DAYS.map((day) => dayProblem(week[day])).find((problem) => problem !== undefined),
    },
    holidays: {
      label: texts.holidays,
      to: (holidays) => (holidays.length === 0 ? {} : { holidays: [...holidays].toSorted() }),
    },
  },
});
