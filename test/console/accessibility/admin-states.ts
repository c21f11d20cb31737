import type { Page } from "playwright-core";
import type { AdminContent } from "./admin-content.ts";
import { adminPageFaults } from "../support/admin-faults.ts";

/** A page of the administration, or an important state of a page. */
export interface AdminState {
  readonly name: string;
  /** Path below /console/admin. */
  readonly path: (content: AdminContent) => string;
  /** Brings the page that was opened there into the state, and waits for it. */
  show(page: Page, content: AdminContent): Promise<unknown>;
}

const at = (path: string) => () => path;
const table = (name: string) => (page: Page) => page.getByRole("table", { name, exact: true }).waitFor();
/** A page that is a table. */
const listPage = (path: string, name: string): AdminState => ({ name, path: at(path), show: table(name) });

/** Every page with its entries. */
export const ADMIN_PAGES: readonly AdminState[] = [
  {
    name: "Overview",
    path: at(""),
    show: (page) => page.getByRole("heading", { name: "The first day" }).waitFor(),
  },
  { name: "Account", path: at("/account"), show: (page) => page.getByText("Calls per hour").waitFor() },
  listPage("/topics", "Topics"),
  {
    name: "Web messenger",
    path: at("/messenger"),
    show: (page) => page.getByRole("textbox", { name: "Script with the numbers 4711/42" }).waitFor(),
  },
  listPage("/fields", "Conversation properties"),
  listPage("/business-hours", "Business hours"),
  listPage("/outbound-templates", "Outbound templates"),
  listPage("/outbound-messages", "Outbound messages"),
  listPage("/audit-log", "Audit log"),
  listPage("/agents", "Agents"),
  {
    name: "An agent",
    path: ({ agentId }) => `/agents/${agentId}`,
    show: table("Sessions"),
  },
  listPage("/groups", "Groups and routing"),
  {
    name: "Roles and statuses",
    path: at("/roles"),
    show: (page) => page.getByText("1 agent", { exact: true }).first().waitFor(),
  },
  listPage("/identity-providers", "Single sign-on"),
  listPage("/apps", "Installed apps"),
  {
    name: "An app",
    path: at("/apps/greeter"),
    async show(page) {
      for (const name of ["Failed events", "Calls", "Schedules"]) await table(name)(page);
      await page.getByText("What it may do").click();
      await page.getByText("Writes messages into conversations.").waitFor();
    },
  },
  {
    name: "Reports",
    path: at("/reports"),
    show: (page) => page.getByRole("slider", { name: "Interval in the chart Conversations" }).waitFor(),
  },
  {
    name: "Raw reports",
    path: at("/raw-reports"),
    show: (page) => page.getByRole("table", { name: "Raw reports" }).getByText("Ready").waitFor(),
  },
  listPage("/tokens", "API tokens"),
  {
    name: "Webhooks",
    path: at("/webhooks"),
    async show(page) {
      await table("Webhooks")(page);
      await table("Signing keys")(page);
    },
  },
  {
    name: "Deliveries of a webhook",
    path: ({ webhookId }) => `/webhooks/${webhookId}`,
    show: table("Deliveries"),
  },
];

/** Opens the state in the first tab of an agent, and examines it. -> what is wrong with it */
export const adminStateFaults = async (
  page: Page,
  origin: string,
  state: AdminState,
  content: AdminContent,
): Promise<unknown[]> => {
  await page.goto(`${origin}/console/admin${state.path(content)}`);
  await state.show(page, content);
  return adminPageFaults(page);
};
