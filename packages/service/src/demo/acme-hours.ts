import type { BusinessHours } from "@parley/contract";

const DAY = [{ from: "09:00", to: "17:30" }];
const LONG_DAY = [{ from: "07:00", to: "22:00" }];

/** The shop keeps office hours; Support works longer, and at weekends too. */
export const ACME_HOURS: readonly BusinessHours[] = [
  {
    timezone: "America/New_York",
    week: { monday: DAY, tuesday: DAY, wednesday: DAY, thursday: DAY, friday: DAY },
    holidays: ["2026-01-01", "2026-07-03", "2026-11-26", "2026-12-25"],
  },
  {
    group: "Support",
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
