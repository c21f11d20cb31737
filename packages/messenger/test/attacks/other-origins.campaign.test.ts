import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { MESSENGER_API, type VisitorSession } from "@parley/contract";
import type { Page } from "playwright-core";
import { openPanel, panelOf, write } from "../support/panel.ts";
import { htmlPage } from "../support/site.ts";
import { CONNECTS, frameAt, framing, startAttackedBrowser, storageAfterSending } from "./attacked-browser.ts";
import { newAddress } from "./attacked-instance.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

/** Sites that the account does not list, and that call the service, embed the script, or show the panel in a frame. */

const s = fileFixture(startAttackedBrowser);
const listShop = () => s.instance.setMessenger({ origins: [s.shop.origin] });
const listNone = () => s.instance.setMessenger({ origins: [] });
afterEach(listNone);

const SECRET = "The door code is 4711";

/** -> what the page of a site gets of a request; `null` if the browser doesn't let it read the reply */
const requestOf = (page: Page, method: string, path: string, body?: object, type = "application/json") =>
  page.evaluate<{ status: number; text: string } | null>(
    `fetch(${JSON.stringify(s.instance.origin + path)}, ${JSON.stringify({
      method,
      ...(body && { headers: { "content-type": type }, body: JSON.stringify(body) }),
    })}).then(async (reply) => ({ status: reply.status, text: await reply.text() }), () => null)`,
  );
/** In the list, a newer message may stand for the conversation. */
const expectSecret = async (page: Page): Promise<void> => {
  await panelOf(page).locator("[data-conversation]").first().click();
  await panelOf(page).getByText(SECRET).first().waitFor();
};
const usersCount = async () =>
  (await s.instance.client.users.listUsers({ query: { created_from: "2020-01-01T00:00:00.000Z" } })).pagination
    ?.total_items;

describe("requests of another site's page", () => {
  let page: Page;
  beforeEach(async () => {
    const foreign = await s.serve("foreign.localhost", { "/": htmlPage("<h1>Foreign</h1>") });
    page = await s.visit(foreign.origin);
  });
  afterEach(() => page.context().close());

  test("read the configuration without a list of origins, and not with a list", async () => {
    const path = `${MESSENGER_API}/configuration?account=acme`;
    expect(await requestOf(page, "GET", path)).toMatchObject({ status: 200 });
    await listShop();
    for (const claimed of ["", `&origin=${s.shop.origin}`, "&origin=null", `&origin=${s.instance.origin}`]) {
      const reply = await requestOf(page, "GET", path + claimed);
      expect(reply).toMatchObject({ status: 403 });
      expect(reply?.text).toContain("ORIGIN_NOT_ALLOWED");
    }
  });

  test("begin no session, of whatever type they say their body is, and a panel of the site begins one", async () => {
    const path = `${MESSENGER_API}/sessions`;
    const before = await usersCount();
    for (const type of ["application/json", "text/plain", "application/x-www-form-urlencoded", ""])
      expect(await requestOf(page, "POST", path, { account: "acme" }, type)).toBeNull();
    expect(await usersCount()).toBe(before);
    const sent = { headers: newAddress(), body: { account: "acme", origin: "http://foreign.localhost" } };
    expect((await s.instance.send("POST", path, sent)).status).toBe(201);
    expect(await usersCount()).toBe((before ?? 0) + 1);
  });

  test("with a stolen token read nothing: the browser asks the service first, which admits no other origin", async () => {
    const victim = await s.instance.begin();
    await victim.write(SECRET);
    const stolen = `fetch(${JSON.stringify(`${s.instance.origin}${MESSENGER_API}/conversations`)}, { headers: { authorization: "Bearer ${victim.token}" } }).then((reply) => reply.text(), () => null)`;
    expect(await page.evaluate(stolen)).toBeNull();
    expect((await victim.call("GET", "/conversations")).text).toContain(SECRET);
  });
});

describe("the Origin header of a browser", () => {
  const begin = (origin: string | undefined, reported?: string) =>
    s.instance.send<VisitorSession>("POST", `${MESSENGER_API}/sessions`, {
      headers: { ...newAddress(), ...(origin !== undefined && { origin }) },
      body: { account: "acme", ...(reported !== undefined && { origin: reported }) },
    });
  const lookAlikes = (listed: string): readonly string[] => {
    const { port, hostname } = new URL(listed);
    return [
      `https://${hostname}:${port}`,
      `http://${hostname}`,
      `http://${hostname}:1${port}`,
      `http://${hostname}.evil.example:${port}`,
      `http://evil-${hostname}:${port}`,
      `http://a.${hostname}:${port}`,
      `http://${hostname}@evil.example:${port}`,
      `${listed}/`,
      `${listed}.`,
      "null",
      "file://",
      "",
      `${listed} http://evil.example`,
      `http://evil.example, ${listed}`,
    ];
  };

  test("admits a listed origin, and none that only resembles it, whatever the body reports", async () => {
    await listShop();
    expect((await begin(s.shop.origin)).status).toBe(201);
    for (const origin of lookAlikes(s.shop.origin)) {
      const { status } = await begin(origin, s.shop.origin);
      expect({ origin, status }).toEqual({ origin, status: 403 });
    }
  });

  test("of the service itself counts by the origin that the panel reports", async () => {
    await listShop();
    expect((await begin(s.instance.origin, s.shop.origin)).status).toBe(201);
    for (const reported of [undefined, ...lookAlikes(s.shop.origin)]) {
      const { status } = await begin(s.instance.origin, reported);
      expect({ reported, status }).toEqual({ reported, status: 403 });
    }
  });

  test("with a wildcard admits hosts below it only", async () => {
    await s.instance.setMessenger({ origins: ["https://*.shop.example"] });
    const admitted = ["https://a.shop.example", "https://a.b.shop.example"];
    const refused = [
      "https://shop.example",
      "https://.shop.example",
      "https://evilshop.example",
      "http://a.shop.example",
      "https://a.shop.example:8443",
      "https://a.shop.example.evil.example",
      "https://evil.example/.shop.example",
    ];
    for (const origin of admitted) expect((await begin(origin)).status).toBe(201);
    for (const origin of refused)
      expect({ origin, status: (await begin(origin)).status }).toEqual({ origin, status: 403 });
  });
});

describe("a page that shows the panel in a frame of its own, to lead clicks of a visitor into it,", () => {
  const isShown = async (address: string): Promise<boolean> => {
    const page = await s.visit(address);
    const frame = await frameAt(page, "http").then(() => page.frames().at(-1)!);
    await page.waitForLoadState("networkidle");
    const text = await frame.evaluate("document.querySelector('.panel')?.innerText ?? ''").catch(() => "");
    await page.context().close();
    return text !== "";
  };

  test("shows it without a list of origins, and not with a list", async () => {
    const foreign = await s.serve("foreign.localhost", {
      "/": [framing(s.panel)[0], framing(s.panel)[1].replace("<body>", `<body>${CONNECTS}`)],
    });
    expect(await isShown(foreign.origin)).toBe(true);
    await listShop();
    expect(await isShown(foreign.origin)).toBe(false);
  });

  test("shows it with a list neither in a sandbox, nor as a document of its own, nor around a listed page", async () => {
    const frame = `<iframe sandbox="allow-scripts allow-same-origin" src="${s.panel}"></iframe>`;
    const inner = `${CONNECTS}<iframe src='${s.panel}'></iframe>`.replaceAll('"', "&quot;");
    const foreign = await s.serve("foreign.localhost", {
      "/sandbox": htmlPage(CONNECTS + frame),
      "/srcdoc": htmlPage(`<iframe srcdoc="${inner}"></iframe>`),
      "/data": htmlPage(
        `<iframe src="data:text/html,${encodeURIComponent(CONNECTS + `<iframe src='${s.panel}'></iframe>`)}"></iframe>`,
      ),
      "/around": framing(s.shop.origin),
    });
    const pages = ["/sandbox", "/srcdoc", "/data"];
    for (const path of pages)
      expect({ path, isShown: await isShown(foreign.origin + path) }).toEqual({ path, isShown: true });
    await listShop();
    for (const path of pages)
      expect({ path, isShown: await isShown(foreign.origin + path) }).toEqual({ path, isShown: false });
    const around = await s.visit(`${foreign.origin}/around`);
    const shop = await frameAt(around, s.shop.origin);
    await shop.evaluate("fcWidget.init({ open: true }), undefined");
    await shop.locator("#fc_widget").waitFor();
    await around.waitForTimeout(500);
    expect(around.frames().some((each) => each.url().startsWith(s.panel))).toBe(false);
    await around.context().close();
  });

  test("gets a session of its own, and none of the shop's conversations, also in a browser that has both", async () => {
    const foreign = await s.serve("foreign.localhost", {
      "/": htmlPage(`${CONNECTS}<iframe src="${s.panel}"></iframe>`),
    });
    const page = await s.visit(s.shop.origin);
    await page.evaluate("fcWidget.init({}), undefined");
    await write(await openPanel(page), SECRET);
    await storageAfterSending(await frameAt(page, s.panel));
    await page.reload();
    await page.evaluate("fcWidget.init({ open: true }), undefined");
    await expectSecret(page);
    await page.goto(foreign.origin);
    const frame = await frameAt(page, s.panel);
    await frame.getByRole("button", { name: /^Inbox/ }).waitFor();
    expect(await frame.locator("body").innerText()).not.toContain(SECRET);
    expect(await page.evaluate("call('getUser', null)")).toMatchObject({ status: 404 });
    await page.context().close();
  });

  test("gets none in a browser that doesn't divide storage by site: the panel's key has the origin of its parent", async () => {
    const foreign = await s.serve("foreign.localhost", {
      "/": htmlPage(`${CONNECTS}<iframe src="${s.panel}"></iframe>`),
    });
    const page = await s.visit(s.shop.origin);
    await page.evaluate("fcWidget.init({}), undefined");
    await write(await openPanel(page), SECRET);
    const stored = await storageAfterSending(await frameAt(page, s.panel));
    await page.goto("about:blank");
    await page.addInitScript(
      `if (location.origin === ${JSON.stringify(s.instance.origin)}) try { for (const [key, value] of Object.entries(${JSON.stringify(stored)})) localStorage.setItem(key, value); } catch {}`,
    );
    await page.goto(s.shop.origin);
    await page.evaluate("fcWidget.init({ open: true }), undefined");
    await expectSecret(page);
    await page.goto(foreign.origin);
    const frame = await frameAt(page, s.panel);
    await frame.getByRole("button", { name: /^Inbox/ }).waitFor();
    expect(await frame.evaluate("JSON.stringify(localStorage)")).toContain("visitor_");
    expect(await frame.locator("body").innerText()).not.toContain(SECRET);
    expect(await page.evaluate("call('getUser', null)")).toMatchObject({ status: 404 });
    await page.context().close();
  });
});

test("a page that opens the panel in a window of its own reads nothing of it and can't connect to it", async () => {
  const foreign = await s.serve("foreign.localhost", { "/": htmlPage(CONNECTS) });
  const page = await s.visit(foreign.origin);
  const [opened] = await Promise.all([
    page.waitForEvent("popup"),
    page.evaluate(`window.other = open(${JSON.stringify(s.panel)}), undefined`),
  ]);
  await opened.getByRole("button", { name: /^Inbox/ }).waitFor();
  await page.evaluate("other.postMessage({ parley: 'connect', options: {} }, '*', [new MessageChannel().port2])");
  expect(await page.evaluate("(() => { try { return other.document.title; } catch { return 'refused'; } })()")).toBe(
    "refused",
  );
  expect(await page.evaluate("heard")).toEqual([]);
  await page.context().close();
});
