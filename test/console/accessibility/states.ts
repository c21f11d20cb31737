import type { BrowserContextOptions, Page } from "playwright-core";
import { accessibilityViolations } from "../../../packages/framework/test/front/front-fixture.ts";
import type { ConsoleContent } from "../support/content.ts";

/** Windows and settings of browsers in which every page must be usable. */
export const FORMS = {
  "1440 x 900, light": { viewport: { width: 1_440, height: 900 } },
  "1440 x 900, dark": { viewport: { width: 1_440, height: 900 }, colorScheme: "dark" },
  "360 x 740, light": { viewport: { width: 360, height: 740 } },
  "360 x 740, dark": { viewport: { width: 360, height: 740 }, colorScheme: "dark" },
  "zoomed to 200 %": { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 },
  "forced colours": { forcedColors: "active" },
} as const satisfies Record<string, BrowserContextOptions>;

/** A page, or an important state of a page. */
export interface ConsoleState {
  readonly name: string;
  /** Path below /console. */
  readonly path: (content: ConsoleContent) => string;
  /** Brings the page that was opened there into the state, and waits for it. */
  show(page: Page, content: ConsoleContent): Promise<unknown>;
}

const rows = (page: Page) => page.getByRole("grid").getByRole("row");
const open = ({ full }: ConsoleContent) => `/conversations/${full.id}`;
const inbox = () => "/inbox";
const last = (page: Page) => page.getByText("54, please.", { exact: true }).last();

const openDialog = async (
  page: Page,
  press: () => Promise<void>,
  role: "dialog" | "alertdialog" | "menu" = "dialog",
) => {
  await press();
  await page.getByRole(role).last().waitFor();
};

export const STATES: readonly ConsoleState[] = [
  { name: "inbox", path: inbox, show: (page) => rows(page).nth(5).waitFor() },
  {
    name: "inbox without a match",
    path: () => "/inbox?agent=me&priority=Urgent",
    show: (page) => page.getByText("No conversations here").waitFor(),
  },
  {
    name: "open conversation",
    path: open,
    show: async (page) => {
      await last(page).waitFor();
      const shown = page.getByRole("button", { name: "Show the details" });
      // A wide window shows them from the beginning.
      if ((page.viewportSize()?.width ?? 0) < 1_280) await shown.waitFor();
    },
  },
  {
    name: "start of a conversation",
    path: open,
    show: async (page) => {
      await last(page).waitFor();
      const thread = page.getByRole("region", { name: "Messages of the conversation" });
      await thread.focus();
      await thread.evaluate((element) => element.scrollTo(0, 0));
      await page.getByText("The frame arrived with a scratch.").last().waitFor();
    },
  },
  {
    name: "private note being written",
    path: open,
    show: async (page) => {
      await last(page).waitFor();
      await page.getByText("Private note", { exact: true }).last().click();
      await page.getByRole("textbox", { name: "Private note, for your team only" }).waitFor();
    },
  },
  {
    name: "details",
    path: open,
    show: async (page) => {
      await last(page).waitFor();
      const button = page.getByRole("button", { name: "Show the details" });
      const amount = page.getByText("Amount refunded");
      await button.or(amount).first().waitFor();
      if (await button.isVisible()) await button.click();
      await amount.waitFor();
    },
  },
  {
    name: "choice of an agent",
    path: open,
    show: async (page) => {
      await last(page).waitFor();
      await openDialog(page, () => page.getByRole("button", { name: /^Agent: / }).click());
      await page.getByRole("option", { name: /Tomasz/ }).waitFor();
    },
  },
  {
    name: "required properties",
    path: open,
    show: async (page) => {
      await last(page).waitFor();
      await openDialog(page, () => page.getByRole("button", { name: "Resolve", exact: true }).click());
      await page.getByRole("dialog").getByRole("button", { name: "Resolve" }).click();
      await page.getByText("Give a value.").waitFor();
    },
  },
  {
    name: "unknown conversation",
    path: () => "/conversations/00000000-0000-4000-8000-000000000000",
    show: (page) => page.getByText("There is no such conversation").waitFor(),
  },
  {
    name: "filter form",
    path: inbox,
    show: async (page) => {
      await rows(page).first().waitFor();
      await openDialog(page, () => page.getByRole("button", { name: "Filter", exact: true }).click());
    },
  },
  {
    name: "order menu",
    path: inbox,
    show: async (page) => {
      await rows(page).first().waitFor();
      await openDialog(page, () => page.getByRole("button", { name: /^Order: / }).click(), "menu");
    },
  },
  {
    name: "selected conversations",
    path: inbox,
    show: async (page) => {
      await rows(page).first().waitFor();
      await page.getByRole("grid").focus();
      await rows(page).first().focus();
      await page.keyboard.press("x");
      await page.getByRole("toolbar").waitFor();
    },
  },
  {
    name: "dialog of a saved view",
    path: () => "/inbox?status=all&unread=true",
    show: async (page) => {
      await openDialog(page, () => page.getByRole("button", { name: "Save as a view" }).click());
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
      await page.getByText("Enter a name.").waitFor();
    },
  },
  { name: "customers", path: () => "/customers", show: (page) => page.getByText("Yuki Tanaka").waitFor() },
  {
    name: "new customer",
    path: () => "/customers",
    show: (page) => openDialog(page, () => page.getByRole("button", { name: "New customer" }).click()),
  },
  {
    name: "customer",
    path: ({ full }) => `/customers/${full.userId}`,
    show: (page) => page.getByRole("heading", { name: "Ada Fuller" }).waitFor(),
  },
  {
    name: "deletion of a customer",
    path: ({ full }) => `/customers/${full.userId}`,
    show: (page) => openDialog(page, () => page.getByRole("button", { name: "Delete" }).click(), "alertdialog"),
  },
  { name: "search", path: () => "/search", show: (page) => page.getByRole("searchbox").waitFor() },
  {
    name: "search with results",
    path: () => "/search?q=parcel",
    show: (page) =>
      page
        .getByRole("status")
        .filter({ hasText: /\d+ results/ })
        .waitFor(),
  },
  {
    name: "search without results",
    path: () => "/search?q=zeppelin",
    show: (page) => page.getByText("Nothing was found").waitFor(),
  },
  {
    name: "templates",
    path: () => "/templates",
    show: (page) => page.getByRole("heading", { name: "Reply templates" }).waitFor(),
  },
  {
    name: "new template",
    path: () => "/templates",
    show: (page) => openDialog(page, () => page.getByRole("button", { name: "New template" }).first().click()),
  },
  {
    name: "preferences",
    path: () => "/preferences",
    show: (page) => page.getByRole("heading", { name: "Preferences" }).waitFor(),
  },
  {
    name: "palette",
    path: inbox,
    show: async (page) => {
      await rows(page).first().waitFor();
      await openDialog(page, () => page.keyboard.press("Control+k"));
      await page.getByRole("option").first().waitFor();
    },
  },
  {
    name: "list of shortcuts",
    path: inbox,
    show: async (page) => {
      await rows(page).first().waitFor();
      await openDialog(page, () => page.keyboard.press("?"));
    },
  },
  {
    name: "test customer",
    path: inbox,
    show: async (page) => {
      await rows(page).first().waitFor();
      await page.getByRole("navigation").getByRole("button", { name: "Try it as a customer" }).click();
      await page
        .frameLocator("aside iframe")
        .getByRole("button", { name: /^Inbox|^Support/ })
        .first()
        .waitFor();
    },
  },
  {
    name: "no connection",
    path: inbox,
    show: async (page) => {
      await rows(page).first().waitFor();
      await page.route("**/console/api/stream*", (route) => route.abort());
      await page.reload();
      await page.getByText("No connection.").waitFor();
    },
  },
  {
    name: "unknown page",
    path: () => "/nothing",
    show: (page) => page.getByText("There is no such page").waitFor(),
  },
];

/** Opens the state in the first tab of an agent, and examines it. -> what is wrong with it */
export const stateFaults = async (
  page: Page,
  origin: string,
  state: ConsoleState,
  content: ConsoleContent,
): Promise<string[]> => {
  await page.goto(`${origin}/console${state.path(content)}`);
  try {
    await state.show(page, content);
    return await accessibilityViolations(page);
  } finally {
    await page.unrouteAll();
  }
};
