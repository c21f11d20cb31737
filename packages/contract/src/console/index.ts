import { appTickets } from "./app-tickets.ts";
import { customers } from "./customers.ts";
import { drafts } from "./drafts.ts";
import { inbox } from "./inbox.ts";
import { live } from "./live.ts";
import { metricPages } from "./metric-pages.ts";
import { pictures } from "./pictures.ts";
import { replyTemplates } from "./reply-templates.ts";
import { reportRequests } from "./report-requests.ts";
import { savedViews } from "./saved-views.ts";
import { threads } from "./threads.ts";
import { workspace } from "./workspace.ts";

export * from "./app-tickets.ts";
export * from "./customers.ts";
export * from "./drafts.ts";
export * from "./inbox.ts";
export * from "./live.ts";
export * from "./metric-pages.ts";
export * from "./pictures.ts";
export * from "./reply-templates.ts";
export * from "./report-requests.ts";
export * from "./saved-views.ts";
export * from "./threads.ts";
export * from "./visitor-page.ts";
export * from "./workspace.ts";

/** Endpoints of the console, by table. They admit agent sessions only, are not part of the API and have no version. */
export const consoleApi = {
  inbox,
  threads,
  customers,
  drafts,
  savedViews,
  replyTemplates,
  live,
  workspace,
  appTickets,
  metricPages,
  reportRequests,
  pictures,
};
export type ConsoleApi = typeof consoleApi;
