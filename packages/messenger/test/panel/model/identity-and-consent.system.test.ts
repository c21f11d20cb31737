import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { BrowserContext } from "playwright-core";
import { modelFixture, storedItems, type PanelTab } from "./model-fixture.ts";
import type { PanelOfPage } from "./model-page.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

declare const panel: PanelOfPage;

/** Signed identities and consent in Chromium, in several tabs, with the script in a site's page and a started service. */

let browser: BrowserContext;
const s = fileFixture(modelFixture);
beforeEach(async () => {
  browser = await s.newBrowser();
});
afterEach(() => browser.close());

describe("signed identities", () => {
  afterEach(() => s.identities.require({}));

  const tokenOf = async (tab: PanelTab, reference_id: string): Promise<string> => {
    const freshchat_uuid = await tab.site<string>("fcWidget.user.getUUID().then(({ data }) => data.uuid)");
    return s.identities.sign({ freshchat_uuid, reference_id });
  };
  const authenticate = (tab: PanelTab, token: string) =>
    tab.site<number>(`fcWidget.authenticate("${token}").then(({ status }) => status, ({ status }) => status)`);

  test("are those of all tabs; a token of another person leaves nothing of the former one, and clear makes tokens useless", async () => {
    await s.identities.require({ is_required: true });
    const [one, two] = [await s.openTab(browser), await s.openTab(browser)];
    await one.openTopic();
    await one.write("unsigned");
    expect(await one.snapshot()).toMatchObject({ isUnsigned: true, outgoing: [{ state: "unsigned" }] });
    const early = await tokenOf(two, "tab-early");
    expect(await authenticate(one, await tokenOf(one, "tab-1"))).toBe(200);
    await one.until(({ outgoing, own }) => outgoing.length === 0 && own.includes("unsigned"));
    await two.until(({ conversations, isUnsigned }) => conversations.length === 1 && !isUnsigned);
    await one.frame.evaluate(() => panel.actions.setDraft(panel.key(), "a draft"));
    expect(await authenticate(two, await tokenOf(two, "tab-2"))).toBe(200);
    for (const each of [one, two]) {
      const { conversations, texts, draft } = await each.until(({ visitor }) => visitor?.external_id === "tab-2");
      expect([conversations, texts, draft]).toEqual([[], [], undefined]);
    }
    const former = await tokenOf(one, "tab-2");
    expect(await authenticate(one, await tokenOf(one, "tab-1"))).toBe(200);
    await two.until(({ conversations }) => conversations.length === 1);
    await two.site("fcWidget.user.clear()");
    for (const each of [one, two]) {
      await each.until(({ isUnsigned, visitor }) => isUnsigned && visitor === undefined);
      expect([await authenticate(each, former), await authenticate(each, early)]).toEqual([401, 401]);
    }
    expect(await authenticate(one, await tokenOf(one, "tab-1"))).toBe(200);
  });
});

describe("consent", () => {
  afterEach(() => s.configure({ privacy: {} }));

  test.each([
    ["account", "cora-1", { is_consent_required: true }, {}],
    ["page", "cora-2", {}, { config: { consent: "required" } }],
  ])(
    "where the %s requires consent nothing is stored or sent before it, and its withdrawal removes everything in all tabs",
    async (_, externalId, privacy, config) => {
      await s.configure({ privacy });
      const options = { externalId, firstName: "Cora", ...config };
      const tab = await s.openTab(browser, options);
      await tab.site("fcWidget.open({ name: 'Inbox', replyText: 'Hello' })");
      expect(await tab.site("fcWidget.user.isExists()")).toMatchObject({ data: false });
      for (const call of ["setProperties({ plan: 'Gold' })", "getUUID()"])
        expect(await tab.site(`fcWidget.user.${call}.catch(({ status }) => status)`)).toBe(403);
      expect(await storedItems(tab)).toEqual([[], [], []]);
      expect(tab.requests.filter((each) => !each.endsWith("/configuration"))).toEqual([]);
      expect((await tab.snapshot()).phase).toBe("consent");
      await tab.frame.evaluate(() => panel.actions.agree());
      await tab.until(({ draft }) => draft === "Hello");
      await tab.write("With consent");
      const { visitor } = await tab.until(({ own }) => own.includes("With consent"));
      expect(visitor).toMatchObject({ external_id: externalId, first_name: "Cora", properties: [{ value: "Gold" }] });
      const next = await s.openTab(browser, options);
      await next.until(({ phase, conversations }) => phase === "ready" && conversations.length === 1);
      await next.site("fcWidget.setConsent(false)");
      for (const each of [tab, next]) {
        await each.until(({ phase, visitor: now }) => phase === "consent" && now === undefined);
        expect(await storedItems(each)).toEqual([[], [], []]);
      }
      await next.site("fcWidget.setConsent(true)");
      await next.until(({ phase }) => phase === "ready");
      expect(await storedItems(next)).toEqual([[], [], []]);
    },
  );
});
