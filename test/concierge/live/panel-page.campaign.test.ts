import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { World } from "@parley/framework/testing";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Frame, Page } from "playwright-core";
import { launchBrowser } from "../../../packages/framework/test/support/browser.ts";
import { accessibilityViolations } from "../../../packages/framework/test/front/front-fixture.ts";
import { conciergeHarness, createCustomer, groupsOf } from "./harness.ts";

/** The agent's panel in a real browser, beside real conversations. */

let w: World;
let browser: Browser;
let groups: Readonly<Record<string, string>>;
beforeAll(async () => {
  [w, browser] = await Promise.all([
    conciergeHarness({
      escalation_group: "Billing",
      sync_in: true,
      outbound_events: "order.update => order_update (en): {{user.first_name}}, 17",
      outbound_from: "+12125550199",
      outbound_namespace: "acme_shop",
      reply_templates: [
        "Ask for the order number => Could you tell me the number of your order?",
        "Thank => Thank you{{#if user.first_name}}, {{user.first_name}}{{/if}}! {{agent.first_name}}, {{channel.name}}",
        ...Array.from({ length: 6 }, (_, index) => `Link ${index + 1} => See our page ${index + 1}`),
      ].join("\n"),
    }),
    launchBrowser(),
  ]);
  groups = await groupsOf(w);
});
afterAll(() => browser.close());
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

interface Opened {
  readonly page: Page;
  readonly panel: Frame;
}

/** Opens a conversation as an agent. */
async function opened(id: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ reducedMotion: "reduce", bypassCSP: true, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  await page.goto(`${new URL(w.page).origin}/?conversation=${id}`);
  const panel = await (await page.locator(".place-view.sidebar iframe").elementHandle())?.contentFrame();
  if (!panel) throw new Error("The panel has no frame.");
  return { page, panel };
}
const fact = (panel: Frame, list: string, term: string) =>
  panel
    .locator(`#${list} > div`)
    .filter({ has: panel.getByText(term, { exact: true }) })
    .locator("dd");
const faultsIn = async (panel: Frame): Promise<string[]> => {
  const { violations } = await panel.evaluate<axe.AxeResults>(`(() => { ${axe.source}; return axe.run(document); })()`);
  const isWide = await panel.evaluate<boolean>("document.documentElement.scrollWidth > innerWidth");
  const words = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  return [...words, ...(isWide ? ["it scrolls sideways"] : [])];
};

test("the panel shows the customer and updates itself without losing typed text", async () => {
  const before = await createCustomer(w, {
    user: {
      last_name: "Lovelace",
      email: "ada@example.com",
      phone: "+12125550177",
      properties: [{ name: "plan", value: "Pro" }],
    },
    topic: "Sales",
  });
  const ada = await createCustomer(w, { user_id: before.user_id, topic: "Support" });
  const { page, panel } = await opened(ada.id);
  await panel.getByRole("heading", { name: "Ada Lovelace" }).waitFor();
  await panel.getByRole("link", { name: "ada@example.com" }).waitFor();
  await fact(panel, "customer", "plan").getByText("Pro").waitFor();
  await fact(panel, "conversation", "Topic").getByText("Support").waitFor();
  await fact(panel, "conversation", "Agent").getByText("Nobody").waitFor();
  await panel.getByText("order_update").waitFor({ state: "attached" });

  await panel.getByLabel("Find a reply").fill("page 3");
  await panel.getByLabel("Group").selectOption("Returns");
  await panel.getByLabel("Find a reply").focus();
  await ada.write("I need help with my order");
  await panel.locator("#decision-log").getByText("Routed to Support, priority High.").waitFor();
  await fact(panel, "conversation", "Group").getByText("Support").waitFor();
  expect(await panel.locator("#filter:focus").inputValue()).toBe("page 3");
  expect(await panel.getByRole("list").filter({ hasText: "page 3" }).getByRole("button").count()).toBe(1);
  expect(await panel.getByLabel("Group").inputValue()).toBe(groups["Returns"]);

  await panel.getByRole("button", { name: /Sales/ }).filter({ hasText: "New" }).click();
  await page.waitForURL(new RegExp(`conversation=${before.id}`));
});

test("a reply is inserted into the editor by keyboard, rendered for this customer", async () => {
  const ada = await createCustomer(w);
  const { page, panel } = await opened(ada.id);
  const editor = page.getByRole("textbox", { name: "Message" });
  await panel.getByRole("button", { name: /Ask for the order number/ }).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await panel.getByText("Thank: the text is in the editor.").waitFor({ state: "attached" });
  expect(await editor.inputValue()).toBe("Thank you, Ada! Olivia, Inbox");
  await editor.fill("");
  await panel.getByRole("button", { name: /Thank/ }).focus();
  await page.keyboard.press("1");
  await panel.getByText("Ask for the order number: the text is in the editor.").waitFor({ state: "attached" });
  await editor.fill("");
  await panel.getByLabel("Find a reply").fill("page 5");
  await page.keyboard.press("Enter");
  await panel.getByText("Link 5: the text is in the editor.").waitFor({ state: "attached" });
  expect(await editor.inputValue()).toBe("See our page 5");
});

test("the buttons of the panel change the conversation once and report the result", async () => {
  const ada = await createCustomer(w);
  const { page, panel } = await opened(ada.id);
  await panel.getByRole("button", { name: "Assign to me" }).dblclick();
  await page.getByText("The conversation is yours.").waitFor();
  await fact(panel, "conversation", "Agent").getByText("Olivia Reyes").waitFor();
  expect((await ada.conversation()).status).toBe("assigned");
  await panel.getByLabel("Group").selectOption("Returns");
  await panel.getByRole("button", { name: "Assign", exact: true }).click();
  await page.getByText("The conversation is in Returns now.").waitFor();
  expect((await ada.conversation()).assigned_group_id).toBe(groups["Returns"]);
  await panel.getByRole("button", { name: "Escalate to Billing" }).click();
  await fact(panel, "conversation", "Priority").getByText("Urgent").waitFor();
  expect(await ada.conversation()).toMatchObject({
    assigned_group_id: groups["Billing"],
    properties: { priority: "Urgent" },
  });
  await panel.locator("#decision-log").getByText("Escalated to Billing, priority Urgent.").waitFor();
  expect(await panel.locator("#decision-log").getByText("Assigned to Olivia Reyes.").count()).toBe(1);
});

test("the address for other systems is shown once, and renewed after a confirmation", async () => {
  const ada = await createCustomer(w);
  const { page, panel } = await opened(ada.id);
  await panel.getByText("Address for other systems").first().click();
  await panel.getByRole("button", { name: "Show the address" }).click();
  const shown = panel.locator("#address-value");
  await shown.waitFor();
  const first = await shown.inputValue();
  expect(first).toMatch(/^http/);
  await panel.getByRole("button", { name: "Make a new address" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Keep it" }).click();
  expect(await shown.inputValue()).toBe(first);
  await panel.getByRole("button", { name: "Make a new address" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Make a new address" }).click();
  await panel.waitForFunction(
    (old) => document.querySelector<HTMLInputElement>("#address-value")?.value !== old,
    first,
  );
  await page.reload();
  const again = (await opened(ada.id)).panel;
  await again.getByText("Address for other systems").first().click();
  await again.getByRole("button", { name: "Show the address" }).click();
  await again.getByText("is not shown again").waitFor();
  expect(await again.locator("#address-value").inputValue()).toBe("");
});

test("a failure is shown beside the known data and disappears after a successful retry", async () => {
  const ada = await createCustomer(w);
  await w.fault({ target: "app", endpoint: "GET /v2/groups", kind: "status", status: 503, times: 2 });
  const { panel } = await opened(ada.id);
  await panel.getByText("The messaging service can't be reached at the moment.").waitFor();
  await panel.getByRole("heading", { name: "Ada" }).waitFor();
  expect(await faultsIn(panel)).toEqual([]);
  await panel.getByRole("button", { name: "Try again" }).click();
  await panel.getByRole("button", { name: /Thank you, Ada/ }).waitFor();
  expect(await panel.locator("#failure").isHidden()).toBe(true);
  expect(await panel.locator("h1:focus").count()).toBe(1);
  await panel.getByText("This is the first conversation.").waitFor();
});

const VIEWPORTS = (["light", "dark"] as const).flatMap((colorScheme) =>
  [320, 1280].map((width) => ({ colorScheme, viewport: { width, height: 900 } })),
);
test("the panel has no accessibility violations in light and dark, narrow and wide", async () => {
  const before = await createCustomer(w, { user: { email: "ada.looks@example.com", phone: "+12125550177" } });
  const ada = await createCustomer(w, { user_id: before.user_id });
  await ada.write("I need help with my order");
  for (const viewport of VIEWPORTS) {
    const { page, panel } = await opened(ada.id, viewport);
    await panel.getByRole("button", { name: /Thank you, Ada/ }).waitFor();
    await panel.locator("#decision-log").getByText("Routed to Support").waitFor();
    expect([...(await faultsIn(panel)), ...(await accessibilityViolations(page))]).toEqual([]);
    await page.context().close();
  }
});
