import type { Page } from "playwright-core";
import { LONG_NAME } from "./admin-content.ts";
import type { AdminState } from "./admin-states.ts";

/** Dialogs, menus and further states of the administration. No dialog changes the contents of another dialog. */

interface Steps {
  /** Fields of the dialog that are filled, by label. */
  readonly fill?: Readonly<Record<string, string>>;
  /** The button of the dialog that is pressed then. */
  readonly press?: string;
  /** What is shown at last. */
  readonly text?: string | RegExp;
}

type Path = string | AdminState["path"];
const pathOf = (path: Path): AdminState["path"] => (typeof path === "string" ? () => path : path);

/** The dialog that a button of a page opens. */
const dialog = (
  name: string,
  path: Path,
  button: string | RegExp,
  { fill = {}, press, text }: Steps = {},
): AdminState => ({
  name,
  path: pathOf(path),
  async show(page) {
    const opener = typeof button === "string" ? { name: button, exact: true } : { name: button };
    await page.getByRole("button", opener).first().click();
    const shown = page.locator("[role=dialog], [role=alertdialog]").last();
    await shown.waitFor();
    for (const [label, value] of Object.entries(fill))
      await shown.getByLabel(label, { exact: true }).first().fill(value);
    if (press !== undefined) await shown.getByRole("button", { name: press, exact: true }).last().click();
    // It may be in the next dialog.
    if (text !== undefined) await page.getByText(text).last().waitFor();
  },
});

/** A choice of a menu of actions. */
const fromMenu = (name: string, action: string | undefined, steps: Steps = {}): AdminState => ({
  name,
  path: () => "/webhooks",
  async show(page, content) {
    await page.getByRole("button", { name: `Actions for ${content.webhookUrl}` }).click();
    await page.getByRole("menu").waitFor();
    if (action === undefined) return;
    await page.getByRole("menuitem", { name: action, exact: true }).click();
    const shown = page.locator("[role=dialog], [role=alertdialog]").last();
    await shown.waitFor();
    for (const [label, value] of Object.entries(steps.fill ?? {}))
      await shown.getByLabel(label, { exact: true }).fill(value);
    if (steps.press !== undefined) await shown.getByRole("button", { name: steps.press, exact: true }).click();
    if (steps.text !== undefined) await page.getByText(steps.text).last().waitFor();
  },
});

/** A list of choices below its button. */
const choices = (name: string, path: Path, button: RegExp): AdminState => ({
  name,
  path: pathOf(path),
  async show(page) {
    await page.getByRole("button", { name: button }).first().click();
    await page.getByRole("option").first().waitFor();
  },
});

const callOf = async (page: Page, row: string): Promise<void> => {
  const calls = page.getByRole("table", { name: "Calls", exact: true });
  await calls.getByRole("row").filter({ hasText: row }).first().getByRole("button").click();
  await page.getByRole("dialog").getByText("Log lines").waitFor();
};
const deliveryOf = async (page: Page, state: string): Promise<void> => {
  const rows = page.getByRole("table", { name: "Deliveries" }).getByRole("row");
  await rows
    .filter({ hasText: state })
    .first()
    .getByRole("button", { name: /^Details/ })
    .click();
  await page.getByRole("dialog").getByRole("region", { name: "Response" }).waitFor();
};

const agent: AdminState["path"] = ({ agentId }) => `/agents/${agentId}`;
const deliveries: AdminState["path"] = ({ webhookId }) => `/webhooks/${webhookId}`;

/** Of the sections Account and Team. */
const SETTINGS: readonly AdminState[] = [
  dialog("new topic, refused", "/topics", "New topic", { press: "Save", text: "Give the topic a name." }),
  dialog("a topic", "/topics", "Change Orders and delivery", { text: /^German$/ }),
  dialog("deletion of a topic", "/topics", `Delete ${LONG_NAME}`),
  dialog("new property, refused", "/fields", "New property", { press: "Save", text: "Give the property a label." }),
  dialog("a property with choices", "/fields", "Change Reason", { text: "Add a choice" }),
  dialog("deletion of a property", "/fields", `Delete ${LONG_NAME}`),
  dialog("new business hours", "/business-hours", "New business hours"),
  dialog("business hours, refused", "/business-hours", /^Change hours: The account/, {
    fill: { "Monday, hours 1: from": "25:00" },
    press: "Save",
    text: "Enter times such as 9:30, at most 24:00.",
  }),
  dialog("deletion of business hours", "/business-hours", "Delete hours: Returns"),
  dialog("new outbound template, refused", "/outbound-templates", "New template", {
    press: "Save",
    text: "Enter a text.",
  }),
  dialog("an outbound template", "/outbound-templates", /^Change order_shipped/, { text: "Follow the parcel" }),
  dialog("deletion of an outbound template", "/outbound-templates", /^Delete bestellung/),
  choices("choice of a primary language", "/account", /^Primary language/),
  choices("choice of an action of the audit log", "/audit-log", /What$/),
  {
    name: "audit log without a match",
    path: () => "/audit-log",
    async show(page) {
      await page.getByRole("textbox", { name: "About" }).fill("zeppelin");
      await page.getByRole("button", { name: "Apply" }).click();
      await page.getByText("No entry matches the filters").waitFor();
    },
  },
  choices("choice of a group of agents", "/agents", /Group$/),
  dialog("new agent, refused", "/agents", "New agent", {
    press: "Create and invite",
    text: "Enter the e-mail address.",
  }),
  dialog("profile of an agent, refused", agent, "Change the profile", {
    fill: { "E-mail address": "nobody" },
    press: "Save",
    text: "Enter a complete address",
  }),
  dialog("scope and capacity of an agent", agent, "Change scope and capacity"),
  dialog("invitation of an agent", agent, "Send an invitation", { text: "Valid until" }),
  dialog("end of all sessions", agent, "End all sessions"),
  dialog("removal of a second factor", agent, "Remove the second factor"),
  dialog("deactivation of an agent", agent, "Deactivate"),
  dialog("deletion of an agent", agent, "Delete"),
  {
    name: "agent who is not signed in",
    path: ({ formerAgentId }) => `/agents/${formerAgentId}`,
    show: (page) => page.getByText("The agent is not signed in anywhere.").waitFor(),
  },
  dialog("new group, refused", "/groups", "New group", { press: "Save", text: "Give the group a name." }),
  dialog("a group", "/groups", "Change Wholesale"),
  dialog("deletion of a group", "/groups", `Delete ${LONG_NAME}`),
  dialog("new role, refused", "/roles", "New role", { press: "Save", text: "Give the role a name." }),
  dialog("deletion of a role", "/roles", "Delete Shift lead"),
  dialog("new status, refused", "/roles", "New status", { press: "Save", text: "Give the status a name." }),
  dialog("deletion of a status", "/roles", "Delete At lunch"),
  dialog("new identity provider, refused", "/identity-providers", "Add a provider", {
    press: "Save",
    text: "Enter a text for the button.",
  }),
  dialog("an identity provider", "/identity-providers", "Change Company account"),
  dialog("removal of an identity provider", "/identity-providers", "Remove Company account"),
];

/** Of the sections Apps, Reports and For developers. */
const OPERATIONS: readonly AdminState[] = [
  dialog("installation of an app", "/apps", "Install Surveys", { text: "Agents don’t see it." }),
  dialog("upgrade of an app", "/apps/greeter", "Upgrade to 1.1.0", { text: "Receives each new customer." }),
  dialog("pausing an app", "/apps/greeter", "Pause"),
  dialog("uninstalling an app, refused", "/apps/greeter", "Uninstall", {
    fill: { "Type greeter to confirm": "greet" },
    press: "Uninstall",
    text: "This is not greeter.",
  }),
  dialog("raising an event, refused", "/apps/greeter", "Raise an event", {
    fill: { Payload: "{" },
    press: "Raise an event",
    text: "This is not JSON",
  }),
  { name: "call of an app", path: () => "/apps/greeter", show: (page) => callOf(page, "Succeeded") },
  { name: "failed call of an app", path: () => "/apps/greeter", show: (page) => callOf(page, "Broken on purpose") },
  {
    name: "app without matching calls",
    path: () => "/apps/greeter",
    async show(page) {
      await page.getByRole("button", { name: /^Every event/ }).click();
      await page.getByRole("option", { name: "onScheduledEvent" }).click();
      await page.getByText("No call matches").waitFor();
    },
  },
  {
    name: "reports as tables, by agent",
    path: () => "/reports?grouping=agent",
    async show(page) {
      await page.getByRole("button", { name: "Show Resolved conversations as a table" }).click();
      await page.getByRole("region", { name: "Table: Resolved conversations" }).waitFor();
    },
  },
  {
    name: "reports without data",
    path: () => "/reports?span=custom&from=2001-01-01&to=2001-01-07",
    show: (page) => page.getByText("There is no data in this span").waitFor(),
  },
  dialog("request of a raw report, refused", "/raw-reports", "Request report", {
    fill: { "Start (UTC)": "" },
    press: "Request report",
    text: "Choose the start.",
  }),
  dialog("files of a raw report", "/raw-reports", /^Files of/, { text: /The links work until/ }),
  dialog("new token, refused", "/tokens", "Generate token", {
    press: "Generate token",
    text: "Give the token a name.",
  }),
  dialog("generated token", "/tokens", "Generate token", {
    fill: { Name: "Accessibility" },
    press: "Generate token",
    text: "It is shown only now.",
  }),
  dialog("revocation of a token", "/tokens", "Revoke Nightly synchronization of the warehouse"),
  {
    name: "tokens that ended",
    path: () => "/tokens",
    async show(page) {
      await page.getByText("Show expired and revoked tokens").click();
      await page.getByText("Revoked", { exact: true }).first().waitFor();
    },
  },
  fromMenu("menu of a webhook", undefined),
  dialog("new webhook, refused", "/webhooks", "New webhook", {
    fill: { Address: "nowhere" },
    press: "New webhook",
    text: "Enter an address that begins with https://.",
  }),
  fromMenu("a webhook", "Change"),
  fromMenu("test of a webhook", "Send a test", { text: /^Delivered\. The receiver answered/ }),
  fromMenu("renewal of a secret", "Renew the secret"),
  fromMenu("removal of a webhook", "Remove"),
  dialog("new signing key", "/webhooks", "New key"),
  { name: "delivery", path: deliveries, show: (page) => deliveryOf(page, "Delivered") },
  { name: "failed delivery", path: deliveries, show: (page) => deliveryOf(page, "Failed") },
  dialog("delivering all again", deliveries, /failed ones? again$/),
];

export const ADMIN_DIALOGS: readonly AdminState[] = [...SETTINGS, ...OPERATIONS];
