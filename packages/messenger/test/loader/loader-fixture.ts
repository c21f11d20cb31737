import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import {
  MESSENGER_API,
  MESSENGER_BUTTON_TEXTS,
  MESSENGER_NOT_FOUND,
  MESSENGER_PATH,
  messengerLanguageOf,
  ORIGIN_NOT_ALLOWED,
} from "@parley/contract";
import type { Browser, BrowserContextOptions, Frame, Page } from "playwright-core";
import { launchBrowser } from "../../../framework/test/support/browser.ts";
import { WIDGET_FILE } from "../../src/index.ts";
import { htmlPage, serveSite, type Site, type SiteFile } from "../support/site.ts";
import { FAKE_PANEL } from "./fake-panel.ts";

/** Aliases that the fake service refuses. */
const REFUSALS = { unknown: MESSENGER_NOT_FOUND, "elsewhere-only": ORIGIN_NOT_ALLOWED };
/** Aliases of accounts that require signed identities. */
const POLICIES = {
  signed: { has_key: true, is_required: true, is_hidden_until_signed: false },
  strict: { has_key: true, is_required: true, is_hidden_until_signed: true },
};

export interface SitePage {
  readonly page: Page;
  /** What the browser's console showed as an error. */
  readonly complaints: readonly string[];
  /** Paths with queries of the requests to the service, apart from the script. */
  readonly requests: readonly string[];
  /** Evaluates an expression in the page of the site. */
  run<T = unknown>(expression: string): Promise<T>;
  /** The frame of the panel, once it is connected. */
  panel(): Promise<Frame>;
  /** Evaluates an expression in the panel. */
  inPanel<T = unknown>(expression: string): Promise<T>;
}

interface VisitOptions {
  /** The whole page, in place of its head and body. */
  readonly page?: SiteFile;
  readonly head?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly context?: BrowserContextOptions;
  /** Runs in the page before its scripts. */
  readonly before?: string;
}

export interface LoaderFixture {
  /** Address of the fake service. */
  readonly service: string;
  /** The element of the first snippet form. */
  readonly script: string;
  readonly browser: Browser;
  /** Opens a page of a site on another origin than the service. */
  visit(options?: VisitOptions): Promise<SitePage>;
  /** Observes a page that the test opens itself. */
  observe(page: Page): SitePage;
  close(): Promise<void>;
}

/** A fake service with the real script and a panel that records its calls, and a browser. */
export const loaderFixture = async (): Promise<LoaderFixture> => {
  const widget = await readFile(WIDGET_FILE);
  const server = createServer(({ url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://service");
    const send = (status: number, type: string, body: string | Buffer) =>
      response.writeHead(status, { "content-type": type, "access-control-allow-origin": "*" }).end(body);
    if (pathname === "/js/widget.js" || /^\/\d+\/\d+\.js$/.test(pathname)) return send(200, "text/javascript", widget);
    if (pathname === MESSENGER_PATH) return send(200, ...FAKE_PANEL);
    if (pathname !== `${MESSENGER_API}/configuration`) return send(404, "text/plain", "Not found");
    if (searchParams.get("alias") === "stale")
      return send(200, "application/json", JSON.stringify({ account: "acme", is_alias_known: false }));
    const policy = POLICIES[(searchParams.get("alias") ?? "") as keyof typeof POLICIES];
    if (policy) return send(200, "application/json", JSON.stringify({ account: "acme", signed_identity: policy }));
    const refusal = REFUSALS[(searchParams.get("alias") ?? "") as keyof typeof REFUSALS];
    const language = messengerLanguageOf(searchParams.get("locale") ?? "");
    const configuration = { ...(language && { button: MESSENGER_BUTTON_TEXTS[language] }) };
    if (!refusal) return send(200, "application/json", JSON.stringify(configuration));
    const { code, status, message, remedy } = refusal;
    return send(code, "application/json", JSON.stringify({ code, status, message: `${message} ${remedy}` }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const service = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await launchBrowser();
  const sites: Site[] = [];

  const observe = (page: Page): SitePage => {
    const [complaints, requests]: [string[], string[]] = [[], []];
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("pageerror", (error) => void complaints.push(error.message));
    page.on("request", (request) => {
      const url = request.url();
      if (url.startsWith(service) && !/\.js$/.test(new URL(url).pathname)) requests.push(url.slice(service.length));
    });
    const panel = async (): Promise<Frame> => {
      const frame = () => page.frames().find((each) => each.url().startsWith(`${service}${MESSENGER_PATH}`));
      while ((await frame()?.title()) !== "connected") await page.waitForTimeout(10);
      return frame()!;
    };
    return {
      ...{ page, complaints, requests, panel },
      run: (expression) => page.evaluate(expression),
      inPanel: async (expression) => (await panel()).evaluate(expression),
    };
  };

  const script = `<script src="${service}/js/widget.js"></script>`;
  return {
    ...{ service, script, browser, observe },
    async visit({ page: file, head = script, body = "", headers = {}, context = {}, before }: VisitOptions = {}) {
      const site = await serveSite({ "/": file ?? htmlPage(body, head) }, { headers });
      sites.push(site);
      const page = await browser.newPage({ reducedMotion: "reduce", ...context });
      if (before !== undefined) await page.addInitScript(before);
      const observed = observe(page);
      await page.goto(site.origin);
      return observed;
    },
    async close() {
      await browser.close();
      await Promise.all(sites.map((site) => site.close()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
