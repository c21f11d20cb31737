import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { BrowserContext, Page } from "playwright-core";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { writerOf } from "../support/account.ts";
import { panelOf, write } from "../support/panel.ts";
import type { SignedIdentities } from "../support/signed-identity.ts";
import { htmlPage } from "../support/site.ts";
import { CONNECTS, frameAt, startAttackedBrowser, type AttackedBrowser } from "./attacked-browser.ts";

/** Someone who has a token of a customer, or a script beside the messenger, and wants the customer's conversations. */

let s: AttackedBrowser;
let identities: SignedIdentities;
beforeAll(async () => {
  s = await startAttackedBrowser();
  identities = await s.instance.signedIdentities();
  await identities.require({ is_required: true });
});
afterAll(() => s?.close());

const SECRET = "The door code is 4711";
let customers = 0;

/** A page of the shop that has called `init`. */
const openShop = async (context?: BrowserContext): Promise<Page> => {
  const page = context ? await context.newPage() : await s.visit(s.shop.origin);
  if (context) await page.goto(s.shop.origin);
  await page.evaluate("fcWidget.init({ open: true }), undefined");
  return page;
};
const uuidOf = (page: Page) => page.evaluate<string>("fcWidget.user.getUUID().then(({ data }) => data.uuid)");
/** -> status of the reply */
const authenticate = (page: Page, token: string) =>
  page.evaluate<number>(
    `fcWidget.authenticate(${JSON.stringify(token)}).then(({ status }) => status, ({ status }) => status)`,
  );
const shownText = (page: Page) => panelOf(page).locator("body").innerText();
/** Whether the panel shows the list of the customer's conversations. */
const hasConversations = (page: Page) => panelOf(page).locator("[data-conversation]").first().isVisible();

let victim: Page;
let token: string;
beforeEach(async () => {
  await victim?.context().close();
  victim = await openShop();
  const reference_id = `signed-victim-${(customers += 1)}`;
  token = identities.sign({ freshchat_uuid: await uuidOf(victim), reference_id, first_name: "Vera" });
  expect(await authenticate(victim, token)).toBe(200);
  await write(panelOf(victim), SECRET);
  await waitUntil(() => victim.evaluate<boolean>("fcWidget.user.get().then(({ data }) => data.firstName === 'Vera')"));
});

describe("a token that was stolen", () => {
  test("works in the browser for which it was signed, which is what the attacks are after", async () => {
    const again = await openShop(victim.context());
    expect(await authenticate(again, token)).toBe(200);
    await waitUntil(() => hasConversations(again));
  });

  test("gets nothing in another browser, and tells nothing of the customer", async () => {
    const thief = await openShop();
    expect(await authenticate(thief, token)).toBe(401);
    const reply = await thief.evaluate<string>(
      `fcWidget.authenticate("${token}").catch((error) => JSON.stringify({ ...error }))`,
    );
    expect(reply).not.toMatch(/Vera|signed-victim/);
    expect(await hasConversations(thief)).toBe(false);
    expect(await shownText(thief)).not.toContain(SECRET);
    await thief.context().close();
  });

  test("gets nothing after the customer has signed out, in any tab of the browser", async () => {
    const tab = await openShop(victim.context());
    await waitUntil(() => hasConversations(tab));
    await victim.evaluate("fcWidget.user.clear()");
    for (const page of [victim, tab]) {
      expect(await authenticate(page, token)).toBe(401);
      await waitUntil(async () => !(await shownText(page)).includes(SECRET));
      expect(await hasConversations(page)).toBe(false);
    }
  });

  test("gets nothing while a next person is signed in after a sign-out, and the next person stays", async () => {
    await victim.evaluate("fcWidget.user.clear()");
    const next = identities.sign({ freshchat_uuid: await uuidOf(victim), reference_id: `next-${customers}` });
    expect(await authenticate(victim, next)).toBe(200);
    expect(await authenticate(victim, token)).toBe(401);
    const user = await victim.evaluate("fcWidget.user.get().then(({ data }) => data.externalId)");
    expect(user).toBe(`next-${customers}`);
    expect(await shownText(victim)).not.toContain(SECRET);
  });
});

test("a token of a key that the account does not have gets nothing", async () => {
  const body = { name: "other" };
  expect((await s.instance.send("PUT", "/admin/accounts/other", { token: s.instance.adminKey, body })).status).toBe(
    200,
  );
  const other = await s.instance.signedIdentities("other");
  const thief = await openShop();
  const claims = { freshchat_uuid: await uuidOf(thief), reference_id: `signed-victim-${customers}` };
  expect(await authenticate(thief, other.sign(claims))).toBe(401);
  expect(await authenticate(thief, identities.sign(claims))).toBe(200);
  await thief.context().close();
});

describe("another site or script", () => {
  test("that places the panel in a frame has a browser UUID of its own, for which the shop's token was not signed", async () => {
    const foreign = await s.serve("foreign.localhost", {
      "/": htmlPage(`${CONNECTS}<iframe id="framed" width="400" height="700" src="${s.panel}"></iframe>`),
    });
    const page = await victim.context().newPage();
    await page.goto(foreign.origin);
    await page.waitForFunction("window.call");
    expect(await page.evaluate(`call("authenticate", "${token}")`)).toMatchObject({ status: 401 });
    const uuid = await page.evaluate<{ data: { uuid: string } }>(`call("getUuid", null)`);
    expect(uuid.data.uuid).not.toBe(await uuidOf(victim));
  });

  test("in a frame beside the panel can't authenticate by messages to its window, and the page can", async () => {
    const attacker = await s.serve("attacker.localhost", { "/": htmlPage("<h1>Advertisement</h1>") });
    const evil = identities.sign({ freshchat_uuid: await uuidOf(victim), reference_id: "attacker-1" });
    await victim.evaluate(
      `document.body.insertAdjacentHTML("beforeend", '<iframe src="${attacker.origin}"></iframe>')`,
    );
    const frame = await frameAt(victim, attacker.origin);
    await frame.evaluate(`(() => {
      for (const target of [parent, parent.frames[0], parent.frames[1]])
        for (const message of [{ id: 1, call: "authenticate", argument: "${evil}" }, { parley: "connect", options: { signedToken: "${evil}" } }, { parley: "panel-ready" }]) {
          const { port2 } = new MessageChannel();
          target.postMessage(message, "*", [port2]);
        }
    })()`);
    const user = () => victim.evaluate("fcWidget.user.get().then(({ data }) => data.externalId)");
    expect(await user()).toBe(`signed-victim-${customers}`);
    expect(await authenticate(victim, evil)).toBe(200);
    expect(await user()).toBe("attacker-1");
  });
});

test("HTML in the names of a token is text for the visitor, the page and the agents", async () => {
  const first_name = `<img src=x onerror="alert(1)">`;
  const page = await openShop();
  let isRun = false;
  page.on("dialog", (dialog) => {
    isRun = true;
    void dialog.dismiss();
  });
  const claims = {
    reference_id: `html-${customers}`,
    first_name,
    last_name: "\u202eadaL",
    email: '"<b>"@example.com',
  };
  expect(await authenticate(page, identities.sign({ freshchat_uuid: await uuidOf(page), ...claims }))).toBe(200);
  await write(panelOf(page), `From a token ${customers}`);
  expect(await panelOf(page).locator("img[src='x']").count()).toBe(0);
  expect(await writerOf(s.instance.client, `From a token ${customers}`)).toMatchObject({ first_name });
  expect(isRun).toBe(false);
  await page.context().close();
});
