import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Conversation, ServiceEvent } from "@parley/contract";
import type { Database } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { signWebhook } from "@parley/egress";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Frame, Page } from "playwright-core";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import type { AppHost, AppHostOptions } from "../../src/platform/app-host/app-host.ts";
import { startAppHost } from "../../src/platform/app-host/start-app-host.ts";
import { KEY } from "../support/fake-account.ts";
import { launchBrowser } from "../support/browser.ts";
import { AGENT_PAGE_TOKEN, startFakeFrontService, type FakeFrontService } from "./fake-front-service.ts";

const SECRET = `whsec_${randomBytes(24).toString("base64")}`;
export const VALUES = { domain: "acme.parley.localhost", api_key: KEY };

export interface FrontFixture {
  readonly host: AppHost;
  readonly service: FakeFrontService;
  readonly browser: Browser;
  readonly database: Database;
  /** URL of the host page as the command prints it. */
  readonly printed: string;
  /** URL of the host page under the host name that is same-site with the app's frames. */
  readonly address: string;
  write(file: string, text: string): Promise<void>;
  /** Delivers a message event of a conversation to the host. */
  deliverMessage(conversation: Conversation, text: string): Promise<void>;
  /** Opens the host page and waits until it is ready. */
  visit(query?: string, options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

interface FrontFixtureOptions {
  /** More files of the app, by path. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** More options of the host. */
  readonly host?: Partial<AppHostOptions>;
}

let eventCount = 0;

/** Starts a browser, a fake service, and an app host on a copy of a fixture app. */
export const frontFixture = async (
  app: string,
  { files = {}, host: hostOptions = {} }: FrontFixtureOptions = {},
): Promise<FrontFixture> => {
  const base = await mkdtemp(join(tmpdir(), "parley-front-"));
  const folder = join(base, app);
  await cp(fileURLToPath(new URL(`../fixtures/${app}`, import.meta.url)), folder, { recursive: true });
  // Written before the host starts: a later write would reload the app and its frames at an unpredictable moment.
  for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content);
  const [browser, service, database] = await Promise.all([launchBrowser(), startFakeFrontService(), testDatabase()]);
  const host = await startAppHost({
    folder,
    database,
    dataFolder: base,
    port: 0,
    hosts: new Map([["acme.parley.localhost", { origin: service.origin }]]),
    domainSuffix: ".parley.localhost",
    eventSecret: () => SECRET,
    service: { origin: service.origin, token: () => AGENT_PAGE_TOKEN, account: "acme" },
    ...hostOptions,
  });
  const printed = `http://localhost:${host.port}/`;
  const address = `http://app-${app}.localhost:${host.port}/`;
  return {
    host,
    service,
    browser,
    database,
    printed,
    address,
    write: (file, text) => writeFile(join(folder, file), text),
    async deliverMessage(conversation, text) {
      const message = { message_parts: [{ text: { content: text } }], created_time: "2026-03-02T10:00:00.000Z" };
      const event = {
        id: `told-${(eventCount += 1)}`,
        kind: "message_create",
        account: "acme",
        data: { actor: {}, associations: {}, message: { ...conversation, messages: [message] } },
      } as unknown as ServiceEvent;
      const body = JSON.stringify(event);
      const timestampSeconds = Math.floor(Date.now() / 1000);
      const headers = signWebhook({ id: event.id, timestampSeconds, body, secret: SECRET });
      await fetch(`${host.url}/events`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
      });
    },
    async visit(query = "", options = {}) {
      const context = await browser.newContext({ reducedMotion: "reduce", ...options });
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      await page.goto(address + query);
      await page.locator("body[data-ready]").waitFor();
      return page;
    },
    close: async () => {
      await browser.close();
      await host.close();
      await service.close();
      await database.close();
      await rm(base, { recursive: true, force: true });
    },
  };
};

/** Waits until an expression of the frame is true. Asks from outside: a timer of the page may evaluate no text under the page's policy. */
export const waitForExpression = async (frame: Frame, expression: string): Promise<void> => {
  await waitUntil(async () => Boolean(await frame.evaluate<unknown>(expression)), {
    details: () => `${expression} in ${frame.url()}`,
  });
};

/** Waits for the app's frame that shows a page with its client loaded. */
export const frameOf = async (page: Page, file: string): Promise<Frame> => {
  const frame =
    page.frames().find((one) => one.url().includes(`/app/${file}`)) ??
    (await page.waitForEvent("framenavigated", (one) => one.url().includes(`/app/${file}`)));
  await waitForExpression(frame, "window.client !== undefined");
  return frame;
};

/** Returns the settled state of an app's promise: `["ok", value]` or `["no", failure]`. */
export const settledState = (frame: Frame, expression: string): Promise<["ok" | "no", unknown]> =>
  frame.evaluate(`(${expression}).then((value) => ["ok", value], (failure) => ["no", failure])`);

/** -> axe's violations in the top page, as text: the elements, and what axe measured of each, such as its colours */
const axeViolations = async (page: Page): Promise<string[]> => {
  const { violations } = await page.evaluate<axe.AxeResults>(
    `(() => { ${axe.source}; return axe.run(document, { iframes: false }); })()`,
  );
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} (${failureSummary})`).join(" ")}`,
  );
};

/** How long a page may take to settle: its fonts, its last request, the styles of elements that were just added. @units milliseconds */
const SETTLE_MS = 5_000;

/**
 * Returns axe's accessibility violations in the top page, as text, and an entry if an element is wider than the window.
 * The examination lasts several frames. A page that changes meanwhile can get violations that nobody sees, so only
 * those count that a page still has after it had time to settle.
 */
export const accessibilityViolations = async (page: Page): Promise<string[]> => {
  let violations: string[] = [];
  const isClean = async () => (violations = await axeViolations(page)).length === 0;
  await waitUntil(isClean, { timeoutMs: SETTLE_MS }).catch(() => false);
  const isWide = await page.evaluate<boolean>("document.documentElement.scrollWidth > innerWidth");
  return [...violations, ...(isWide ? ["it scrolls sideways"] : [])];
};
