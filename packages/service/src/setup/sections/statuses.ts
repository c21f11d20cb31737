import type { StatusSetting } from "@parley/contract";
import { deny, type SectionRules } from "../section.ts";
import type { Status } from "../state.ts";

/** @assumed What an account begins with when its document names no statuses. */
export const FIRST_STATUSES: readonly StatusSetting[] = [
  { name: "Available", availability_status: "AVAILABLE" },
  { name: "Away", availability_status: "UNAVAILABLE" },
];

export const statusRules: SectionRules<StatusSetting, Status> = {
  section: "statuses",
  nameOf: ({ name }) => name,
  means: (item, { name }) => item.name === name,
  merge: (present, item, { newId }) => ({
    id: present?.id ?? item.id?.toLowerCase() ?? newId(),
    name: item.name,
    availability_status: item.availability_status ?? present?.availability_status ?? "AVAILABLE",
  }),
};

/** @errors INVALID_VALUE where no agent could be available */
export const checkAvailable = (statuses: readonly Status[]): void => {
  if (!statuses.some(({ availability_status }) => availability_status === "AVAILABLE"))
    deny("statuses", "must hold at least one status whose availability_status is AVAILABLE");
};
