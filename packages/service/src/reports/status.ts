import type { Report } from "@parley/contract";
import type { LinkStatus } from "./store.ts";

/** What a report is, going by its files. @assumed PENDING until none is to be made any more, then FAILED if one failed. */
export const reportStatus = (links: readonly LinkStatus[]): Report["status"] => {
  if (links.some((status) => status === "PENDING" || status === "IN_PROGRESS")) return "PENDING";
  return links.includes("FAILED") ? "FAILED" : "COMPLETED";
};
