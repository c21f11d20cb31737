import Type, { type Static } from "typebox";
import { ShortText } from "../api/values.ts";

const Clock = Type.String({ pattern: "^([01]\\d|2[0-3]):[0-5]\\d$|^24:00$", description: "HH:MM, or 24:00." });
const Day = Type.Optional(Type.Array(Type.Object({ from: Clock, to: Clock }), { maxItems: 10 }));

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
      Type.Array(Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$", description: "YYYY-MM-DD" }), { maxItems: 400 }),
    ),
  },
  { title: "BusinessHours" },
);
export type BusinessHours = Static<typeof BusinessHours>;
