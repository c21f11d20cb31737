/** The messenger of the demo shop and the console in one real browser. */
import { setTimeout as wait } from "node:timers/promises";
import { signIn } from "../console/browser.mjs";

/** Messages of one visitor in each direction; a visitor may send 30 in a minute. */
const MESSAGES = 20;
/** Time between two messages. @units milliseconds */
const GAP_MS = 150;

/**
 * Runs in each page and frame, before its own scripts. Times are milliseconds since 1970 of the browser's clock, which is the same for all of them: of
 * the last click and the last Enter key, of the first frame in which a visitor can choose a topic or write, and of the first frame with a stamp.
 */
const recordTimes = () => {
  const now = () => performance.timeOrigin + performance.now();
  const times = { clicked: 0, entered: 0, usable: 0, stamps: {} };
  Object.assign(window, { benchTimes: times });
  window.addEventListener("click", () => (times.clicked = now()), true);
  window.addEventListener("keydown", ({ key }) => key === "Enter" && (times.entered = now()), true);
  const canWrite = (element) =>
    (element.matches("textarea") || /Inbox/.test(element.textContent)) &&
    !element.disabled &&
    element.getClientRects().length > 0;
  // A frame that is not visible has no animation frames.
  const lookForField = () => {
    if ([...document.querySelectorAll("button, textarea")].some(canWrite)) times.usable = now();
    else requestAnimationFrame(lookForField);
  };
  requestAnimationFrame(lookForField);
  const look = () => {
    if (!document.body) return;
    for (const [stamp] of document.body.innerText.matchAll(/stamp-\w+/g)) times.stamps[stamp] ??= now();
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
};

const panelOf = async (page) => {
  const element = await page.waitForSelector("#fc_widget", { state: "attached" });
  return element.contentFrame();
};
const timesOf = (target) => target.evaluate(() => window.benchTimes);

const openShop = async (browser, shop) => {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  await context.addInitScript(recordTimes);
  const page = await context.newPage();
  await page.goto(shop);
  await page.locator("#fc_frame button").first().waitFor();
  return { context, page };
};

const buttonOf = (page) => page.locator("#fc_frame button").first();

/** Clicks in the middle of the button, at once: Playwright's click waits for it first, with the pointer on it. */
const click = async (page) => {
  const { x, y, width, height } = await buttonOf(page).boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2);
};

const openedPanel = async (page) => {
  const panel = await panelOf(page);
  await panel.waitForFunction(() => window.benchTimes?.usable > 0);
  return panel;
};

/** How long a pointer is on the button before a click. @units milliseconds */
const APPROACH_MS = 300;

/** What precedes the click. */
const PREPARATIONS = {
  cold: async () => undefined,
  /** An earlier page has shown the panel: its files are in the browser's cache. The pointer reaches the button with the click. */
  cached: async (page) => {
    await click(page);
    await openedPanel(page);
    await page.mouse.move(0, 0);
    await page.reload();
    await buttonOf(page).waitFor();
  },
  /** The pointer is on the button, without a cache. */
  approached: async (page) => {
    await buttonOf(page).hover();
    await wait(APPROACH_MS);
  },
};

/** Time from the click on the button to a panel in which a visitor can choose a topic or write. @units milliseconds */
export const measureOpening = async (browser, { shop, preparation }) => {
  const { context, page } = await openShop(browser, shop);
  await wait(500);
  await PREPARATIONS[preparation](page);
  if (preparation === "cached") await wait(500);
  await click(page);
  const panel = await openedPanel(page);
  const { usable } = await timesOf(panel);
  const { clicked } = await timesOf(page);
  await context.close();
  return usable - clicked;
};

/** Times from the Enter key of the visitor to the text on the agent's screen, and back. -> `{ there, back }` @units milliseconds */
export const measureMessages = async (browser, { shop, origin, dataFolder, round }) => {
  const state = await signIn(browser, dataFolder);
  const { context, page } = await openShop(browser, shop);
  await page.locator("#fc_frame button").first().click();
  const panel = await panelOf(page);
  const topic = panel.getByRole("button", { name: /Inbox/ }).first();
  const field = panel.getByRole("textbox", { name: "Message", exact: true });
  await topic.or(field).first().waitFor();
  if (!(await field.isVisible())) await topic.click();
  const begun = page.waitForResponse(
    (response) => response.request().method() === "POST" && /\/messenger\/api\/conversations$/.test(response.url()),
  );
  await field.fill("Hello");
  await field.press("Enter");
  const { conversation } = await (await begun).json();

  const agents = await browser.newContext({ storageState: state, viewport: { width: 1_440, height: 900 } });
  await agents.addInitScript(recordTimes);
  const agent = await agents.newPage();
  await agent.goto(`${origin}/console/conversations/${conversation.id}`);
  const reply = agent.getByRole("textbox", { name: /^Reply/ });
  await reply.waitFor();
  // Concierge greets the visitor.
  await wait(3_000);

  const send = async (from, to, input, stamp) => {
    await input.fill(stamp);
    await input.press("Enter");
    await to.waitForFunction((text) => window.benchTimes.stamps[text] !== undefined, stamp, { polling: 20 });
    const { stamps } = await timesOf(to);
    const { entered } = await timesOf(from);
    await wait(GAP_MS);
    return stamps[stamp] - entered;
  };
  const [there, back] = [[], []];
  for (let index = 0; index < MESSAGES; index++) {
    there.push(await send(panel, agent, field, `stamp-v${round}x${index}`));
    back.push(await send(agent, panel, reply, `stamp-a${round}x${index}`));
  }
  await Promise.all([context.close(), agents.close()]);
  return { there, back };
};
