import Type, { type Static } from "typebox";
import { ShortText } from "../api/values.ts";
import { ACCOUNT_LIMITS, ACCOUNT_PATTERNS } from "./account-limits.ts";

const Clock = Type.String({ pattern: ACCOUNT_PATTERNS.clock, description: "HH:MM, or 24:00." });
const Day = Type.Optional(
  Type.Array(Type.Object({ from: Clock, to: Clock }), {
    maxItems: ACCOUNT_LIMITS.day_spans,
  }),
);

/**
 * Opening hours of the business or of one of its groups. Omitted days are closed.
 * @assumed The specification doesn't show them.
 */
export const BusinessHours = Type.Object(
  {
    group: Type.Optional(Type.String({ description: "Name of the group; absent: the account." })),
    timezone: ShortText,
    week: Type.Object({
      monday: Day,
      tuesday: Day,
      wednesday: Day,
      thursday: Day,
      friday: Day,
      saturday: Day,
      sunday: Day,
    }),
    holidays: Type.Optional(
      Type.Array(Type.String({ pattern: ACCOUNT_PATTERNS.calendar_day, description: "YYYY-MM-DD" }), {
        maxItems: ACCOUNT_LIMITS.holidays,
      }),
    ),
  },
  { title: "BusinessHours" },
);
export type BusinessHours = Static<typeof BusinessHours>;
