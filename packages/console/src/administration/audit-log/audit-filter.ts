import type { AuditAction } from "@parley/contract";
import { auditMessages as texts } from "./messages.ts";

/** Values of the filters. Empty: any. */
export interface AuditFilterValues {
  /** Days of this device. @shape YYYY-MM-DD */
  readonly from: string;
  readonly until: string;
  /** A type of actors, or the id of an agent. */
  readonly actor: string;
  readonly action: AuditAction | "";
  readonly subject: string;
}

export const NO_FILTER: AuditFilterValues = { from: "", until: "", actor: "", action: "", subject: "" };

export const isFiltered = (filter: AuditFilterValues): boolean => Object.values(filter).some((value) => value !== "");

/** -> why the filters can't be applied */
export const filterProblem = ({ from, until }: Pick<AuditFilterValues, "from" | "until">): string | undefined =>
  from !== "" && until !== "" && until < from ? texts.rangeInvalid : undefined;

/** -> the first moment of a day of this device, or of the day after it */
const startOf = (day: string, daysLater = 0): string => {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + daysLater).toISOString();
};

/** -> the parameters of the request; the last day is included */
export const filterQuery = ({ from, until, actor, action, subject }: AuditFilterValues) => ({
  ...(from !== "" && { from: startOf(from) }),
  ...(until !== "" && { until: startOf(until, 1) }),
  ...(actor !== "" && { actor }),
  ...(action !== "" && { action }),
  ...(subject.trim() !== "" && { subject: subject.trim() }),
});
