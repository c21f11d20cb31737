import type { Report } from "@parley/contract";
import type { BadgeTone } from "../../ui/badge.tsx";

/** The colours of the states of reports and of their files. */
export const REPORT_STATE_TONES: Readonly<Record<Report["links"][number]["status"], BadgeTone>> = {
  PENDING: "neutral",
  IN_PROGRESS: "neutral",
  COMPLETED: "success",
  FAILED: "danger",
};
