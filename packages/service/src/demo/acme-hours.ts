import type { Hours } from "../setup/state.ts";
import type { IdOf } from "./account.ts";

const DAY = [{ from: "09:00", to: "17:30" }];
const LONG_DAY = [{ from: "07:00", to: "22:00" }];

/** The shop keeps office hours; Support works longer, and at weekends too. */
export const acmeHours = (idOf: IdOf): Hours[] => [
  {
    id: "",
    timezone: "America/New_York",
    week: { monday: DAY, tuesday: DAY, wednesday: DAY, thursday: DAY, friday: DAY },
    holidays: ["2026-01-01", "2026-07-03", "2026-11-26", "2026-12-25"],
  },
  {
    id: idOf("group", "Support"),
    timezone: "America/New_York",
    week: {
      monday: LONG_DAY,
      tuesday: LONG_DAY,
      wednesday: LONG_DAY,
      thursday: LONG_DAY,
      friday: LONG_DAY,
      saturday: [{ from: "10:00", to: "16:00" }],
      sunday: [{ from: "10:00", to: "16:00" }],
    },
    holidays: ["2026-01-01", "2026-12-25"],
  },
];
