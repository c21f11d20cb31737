import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { parleyClient } from "@parley/client";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../../../framework/test/support/browser.ts";
import { startParley, temporaryFolder, type RunningParley } from "../../../../test/support/parley-process.ts";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { businessOf, setMessenger } from "../support/account.ts";
import { panelOf, write } from "../support/panel.ts";
import { RECORD_VIDEO } from "../support/parts.ts";
import { htmlPage, serveSite, type Site } from "../support/site.ts";
import { talkByTree } from "./talk-by-tree.ts";

/** The browser API with the panel and the service as a site has them. */

let data: Awaited<ReturnType<typeof temporaryFolder>>;
let running: RunningParley;
let browser: Browser;
let site: Site;
let page: Page;
let service: string;
beforeAll(async () => {
  data = await temporaryFolder();
  [running, browser] = await Promise.all([startParley(data.folder), launchBrowser()]);
  service = new URL(running.service).origin;
  const policy = `default-src 'none'; script-src 'nonce-n1'; connect-src ${service}; frame-src ${service}; img-src data:`;
  const script = `<script nonce="n1" id="freshchat-js-sdk" src="${service}/js/widget.js?account=acme"></script>`;
  site = await serveSite(
    { "/": htmlPage("<h1>Shop</h1>", script) },
    { headers: { "content-security-policy": policy } },
  );
});
afterAll(async () => {
  await site?.close();
  await browser?.close();
  await running?.stop();
  await data.remove();
});
beforeEach(async () => {
  await page?.context().close();
  page = await (await browser.newContext()).newPage();
  await page.goto(site.origin);
});

const run = <T = unknown>(expression: string) => page.evaluate<T>(expression);

interface Reply {
  readonly status: number;
  readonly data: {
    readonly uuid: string;
    readonly restoreId: string;
    readonly externalId?: string;
    readonly email?: string;
  };
}

test("a user is created by its properties, and can be read and cleared", async () => {
  await run("fcWidget.init({}), undefined");
  expect(await run("fcWidget.user.isExists()")).toEqual({ success: true, status: 200, data: false });
  expect(await run("fcWidget.user.get().catch(({ status }) => status)")).toBe(404);
  const created = await run<Reply>(
    "fcWidget.user.setProperties({ firstName: 'Ada', email: 'ada@site.example', plan: 'Gold' })",
  );
  expect(created).toMatchObject({
    status: 200,
    data: { firstName: "Ada", email: "ada@site.example", meta: { plan: "Gold" } },
  });
  expect(await run("fcWidget.user.get()")).toEqual(created);
  expect(await run("fcWidget.user.getUUID()")).toMatchObject({ data: { uuid: created.data.uuid } });
  await run("fcWidget.setExternalId('c-1')");
  expect(await run("fcWidget.user.get()")).toMatchObject({ data: { uuid: created.data.uuid, externalId: "c-1" } });
  expect(await run("fcWidget.user.clear()")).toEqual({ success: true, status: 200, data: null });
  expect(await run("fcWidget.user.isExists()")).toMatchObject({ data: false });
});

test("the keyboard or a pointer on the button loads the panel, whose page contains the configuration", async () => {
  for (const approach of ["focus", "hover"] as const) {
    const asked: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith("/messenger/api/")) asked.push(`${request.method()} ${pathname}`);
    });
    await run("fcWidget.init({ locale: 'de', tags: ['sale', 'gifts'] }), undefined");
    await page.locator("#fc_frame button")[approach]();
    await panelOf(page).getByRole("button", { includeHidden: true }).first().waitFor({ state: "attached" });
    // The request of the script.
    expect(asked).toEqual(["GET /messenger/api/configuration"]);
    expect(await run("fcWidget.isOpen()")).toBe(false);
    await run("fcWidget.setTags(['other']), undefined");
    await waitUntil(() => asked.length === 2);
    await page.reload();
  }
});

test("events report the states of the panel and the user, and messages", async () => {
  const names = [
    "frame:statechange",
    "user:statechange",
    "user:created",
    "message:sent",
    "user:cleared",
    "widget:opened",
  ];
  await run(
    `window.got = [], ${names.map((name) => `fcWidget.on("${name}", (payload) => got.push(["${name}", payload]))`).join()}, fcWidget.init({ open: true }), undefined`,
  );
  await write(panelOf(page), "Hello from the shop");
  await waitUntil(() => run<boolean>("got.some(([name]) => name === 'message:sent')"));
  await run("fcWidget.user.clear()");
  const got =
    await run<
      [string, { readonly data?: Reply["data"] & { readonly frameState?: string; readonly userState?: string } }][]
    >("got");
  const states = got.flatMap(([, payload]) => payload?.data?.frameState ?? payload?.data?.userState ?? []);
  expect(states).toEqual(expect.arrayContaining(["initialized", "loaded", "created"]));
  expect([...new Set(got.map(([name]) => name))].sort()).toEqual([...names].sort());
  expect(got.find(([name]) => name === "user:created")?.[1].data?.restoreId).toEqual(expect.any(String));
});

test("a page that opens the panel by itself keeps the keyboard focus, and a visitor who opens it gets into it", async () => {
  await run("document.body.append(document.createElement('input')), document.querySelector('input').focus()");
  // Without the activation that a click or a call of the debugger gives.
  await run(
    "Object.defineProperty(navigator, 'userActivation', { value: { isActive: false }, configurable: true }), undefined",
  );
  await run("fcWidget.init({ open: true }), undefined");
  await panelOf(page).getByRole("button", { name: /Inbox/ }).waitFor();
  expect(await run("document.activeElement.localName")).toBe("input");
  await page.keyboard.type("still here");
  expect(await run("document.querySelector('input').value")).toBe("still here");
  await run("fcWidget.close()");
  await run("Object.defineProperty(navigator, 'userActivation', { value: { isActive: true } }), undefined");
  await page.locator("#fc_frame button").focus();
  await page.keyboard.press("Enter");
  await waitUntil(() => run<boolean>("document.activeElement.id === 'fc_widget'"));
});

describe("the next person at the same browser", () => {
  const SECRET = "My order is 4711";
  /** Writes, and waits until the service has the message. */
  const tell = async (text: string): Promise<void> => {
    await run("fcWidget.on('message:sent', () => { window.isSent = true; })");
    await write(panelOf(page), text);
    await waitUntil(() => run<boolean>("window.isSent === true"));
  };
  /** What the panel shows of its page, once it is loaded. */
  const shown = async () => {
    await panelOf(page).getByRole("button").first().waitFor();
    return panelOf(page).locator("body").innerText();
  };

  test("sees nothing of the former one after clear, destroy and init", async () => {
    await run("fcWidget.init({ externalId: 'first', open: true }), undefined");
    await tell(SECRET);
    await run(`(async () => {
      await fcWidget.user.isExists();
      await fcWidget.user.clear();
      fcWidget.destroy();
      fcWidget.init({ externalId: "second", open: true });
    })()`);
    expect(await shown()).not.toContain(SECRET);
    expect(await run("fcWidget.user.isExists()")).toMatchObject({ data: false });
  });

  test("sees nothing when the site only changes the externalId", async () => {
    await run("fcWidget.init({ externalId: 'third', open: true }), undefined");
    await tell(SECRET);
    await page.reload();
    await run("fcWidget.init({ externalId: 'fourth', open: true }), undefined");
    expect(await shown()).not.toContain(SECRET);
  });

  test("sees nothing when the site has emptied its storage, and its sign-out asks for the user", async () => {
    await run("fcWidget.init({ open: true }), undefined");
    await tell(SECRET);
    await page.reload();
    await run("localStorage.clear(), fcWidget.init({}), undefined");
    expect(await run("fcWidget.user.isExists()")).toMatchObject({ data: true });
    await run("fcWidget.user.clear()");
    await run("fcWidget.open()");
    expect(await shown()).not.toContain(SECRET);
  });

  test("is the same one in another browser with externalId and restoreId", async () => {
    await run("fcWidget.init({ externalId: 'fifth', open: true }), undefined");
    await tell(SECRET);
    const { data: user } = await run<Reply>("fcWidget.user.get()");
    await page.context().close();
    page = await (await browser.newContext()).newPage();
    await page.goto(site.origin);
    await run(`fcWidget.init({ externalId: "fifth", restoreId: "${user.restoreId}" }), undefined`);
    expect(await run("fcWidget.user.get()")).toMatchObject({ data: { uuid: user.uuid } });
  });
});

describe("a conversation with an agent", () => {
  const business = () => businessOf(parleyClient({ url: running.service, token: running.token }));

  test("needs the accessibility tree alone: topic, text, quick reply, card, file and rating", async () => {
    await run("fcWidget.init({}), undefined");
    await talkByTree(page, business());
  });

  test("shows a visitor's video in a player, and the API has a video part", async () => {
    const video = await run<readonly number[]>(RECORD_VIDEO);
    await run("fcWidget.init({ open: true }), undefined");
    const panel = panelOf(page);
    await write(panel, "A film follows");
    const attach = panel.getByRole("button", { name: "Attach files" });
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), attach.click()]);
    await chooser.setFiles({ name: "film.webm", mimeType: "video/webm", buffer: Buffer.from(video) });
    const player = panel.getByLabel("Video from You");
    await waitUntil(() => player.evaluate((element) => (element as HTMLVideoElement).videoWidth === 32));
    const id = await business().conversationOf("A film follows");
    const [message] = await business().sentIn(id);
    expect(message?.message_parts).toEqual([
      { video: { url: expect.stringContaining("/objects/"), content_type: "video/webm" } },
    ]);
    // The address of an upload is downloaded when it is opened.
    const reply = await fetch(message?.message_parts[0]?.video?.url ?? "");
    expect(reply.headers.get("content-disposition")).toMatch(/^attachment/);
  });
});

test("a list of origins admits its pages, and refuses others and files with a reason", async () => {
  await setMessenger(running.service, data.folder, { origins: [site.origin] });
  await page.reload();
  await run("fcWidget.init({ open: true }), undefined");
  await panelOf(page).getByRole("button").first().waitFor();
  const folder = await mkdtemp(join(tmpdir(), "parley-site-"));
  await writeFile(
    join(folder, "site.html"),
    `<!doctype html><title>File</title><script src="${service}/js/widget.js?account=acme"></script>`,
  );
  const other = await serveSite({ "/": htmlPage("", `<script src="${service}/js/widget.js?account=acme"></script>`) });
  for (const address of [other.origin, pathToFileURL(join(folder, "site.html")).href]) {
    const complaint = page.waitForEvent("console", {
      predicate: (message) => message.text().startsWith("[messenger]"),
    });
    await page.goto(address);
    await run("fcWidget.init({ open: true }), undefined");
    expect((await complaint).text()).toMatch(
      /The account's list of origins does not contain http:.* Add the origin|A page without an origin.* Add the origin/,
    );
    expect(await page.locator("#fc_frame button").isVisible()).toBe(false);
  }
  await setMessenger(running.service, data.folder, { origins: [] });
  await other.close();
  await rm(folder, { recursive: true });
});
