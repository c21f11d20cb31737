import type { Browser, BrowserContextOptions, Frame, Page } from "playwright-core";
import { launchBrowser } from "../../../framework/test/support/browser.ts";
import { htmlPage, serveSite, type Site, type SiteFile } from "../support/site.ts";
import { startAttackedInstance, type AttackedInstance } from "./attacked-instance.ts";

/** An attacked instance with a browser, a shop that embeds the messenger, and sites of attackers. */
export interface AttackedBrowser {
  readonly instance: AttackedInstance;
  readonly browser: Browser;
  readonly shop: Site;
  /** The element that loads the script of the messenger. */
  readonly script: string;
  /** Address of the panel of the demo account. */
  readonly panel: string;
  /** Serves a site of a host of its own, until the end of the tests. */
  serve(host: string, files: Readonly<Record<string, SiteFile>>, headers?: Record<string, string>): Promise<Site>;
  /** Opens a page in a new browser profile. */
  visit(address: string, options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

export const startAttackedBrowser = async (): Promise<AttackedBrowser> => {
  const [instance, browser] = await Promise.all([startAttackedInstance(), launchBrowser()]);
  const sites: Site[] = [];
  const serve: AttackedBrowser["serve"] = async (host, files, headers = {}) => {
    const site = await serveSite(files, { host, headers });
    sites.push(site);
    return site;
  };
  const script = `<script src="${instance.origin}/js/widget.js?account=acme"></script>`;
  const shop = await serve("shop.localhost", { "/": htmlPage("<h1>Shop</h1>", script) });
  return {
    ...{ instance, browser, shop, script, serve },
    panel: `${instance.origin}/messenger?account=acme`,
    async visit(address, options = {}) {
      const page = await (await browser.newContext({ reducedMotion: "reduce", ...options })).newPage();
      page.setDefaultTimeout(20_000);
      await page.goto(address);
      return page;
    },
    async close() {
      await browser.close();
      await Promise.all(sites.map((site) => site.close()));
      await instance.close();
    },
  };
};

/** A page with nothing but a frame. */
export const framing = (address: string): SiteFile =>
  htmlPage(`<iframe id="framed" name="framed" width="400" height="700" src="${address}"></iframe>`);

/** Waits for a frame whose address begins so. */
export const frameAt = async (page: Page, address: string): Promise<Frame> => {
  for (;;) {
    const found = page.frames().find((frame) => frame.url().startsWith(address));
    if (found) return found;
    await page.waitForTimeout(20);
  }
};

/** Waits until the panel keeps a session and no message to send. -> its storage */
export const storageAfterSending = async (panel: Frame): Promise<Record<string, string>> => {
  for (;;) {
    const stored = await panel.evaluate<Record<string, string>>("({ ...localStorage })");
    const text = JSON.stringify(stored);
    if (text.includes("visitor_") && !text.includes(" outbox ")) return stored;
    await panel.page().waitForTimeout(20);
  }
};

/** Answers the panel as the script of the messenger does, and keeps the port: in a page that has no script of the messenger. */
export const CONNECTS = `<script>
  window.heard = [];
  addEventListener("message", ({ data, source }) => {
    if (data?.parley !== "panel-ready") return;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => heard.push(data);
    window.call = (call, argument) => new Promise((resolve) => {
      const id = heard.length + Math.random();
      port1.addEventListener("message", ({ data }) => data.id === id && resolve(data));
      port1.postMessage({ id, call, argument });
    });
    source.postMessage({ parley: "connect", options: window.options ?? {} }, "*", [port2]);
  });
</script>`;
