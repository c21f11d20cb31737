import { logText } from "@parley/telemetry";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { IparamAttributes } from "@parley/contract";
import { testDatabase } from "@parley/database/testing";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { AppHost, AppHostOptions } from "../../src/platform/app-host/app-host.ts";
import { startAppHost } from "../../src/platform/app-host/start-app-host.ts";
import { startFakeAccount, type FakeAccount } from "../support/fake-account.ts";
import { launchBrowser } from "../support/browser.ts";

export const SUFFIX = ".parley.localhost";
export const STORED = "App installation parameters have been successfully stored. You can now proceed to test the app.";

/** A browser, an app host with its database, and the account that the app is installed on. */
export interface InstallFixture {
  readonly account: FakeAccount;
  /** The host that currently runs. */
  readonly host: AppHost;
  readonly browser: Browser;
  /** Lines of the host's log. */
  readonly lines: string[];
  /** Opens the page in a new browser context. */
  visit(options?: BrowserContextOptions): Promise<PageVisit>;
  /** Starts the closed host again, at the same address and on the same data. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface PageVisit {
  readonly page: Page;
  /** Errors of the page's console, and requested URLs, oldest first. */
  readonly errors: string[];
  readonly requests: string[];
  leave(): Promise<void>;
}

export const fixtureFolder = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

const openPage = async (browser: Browser, address: string, options: BrowserContextOptions): Promise<PageVisit> => {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  const errors: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())));
  page.on("pageerror", (error) => void errors.push(error.message));
  page.on("request", (request) => void requests.push(request.url()));
  await page.goto(`${address}/custom_configs`);
  return { page, errors, requests, leave: () => context.close() };
};

/** `maps` redirects hosts to this machine. */
export interface InstallFixtureOptions {
  readonly maps?: ReadonlyMap<string, string>;
  readonly browserArguments?: readonly string[];
  /** More options of the host. */
  readonly host?: Partial<AppHostOptions>;
}

/** Starts the fixture for an app's folder. */
export const installFixture = async (folder: string, options: InstallFixtureOptions = {}): Promise<InstallFixture> => {
  const { maps = new Map<string, string>(), browserArguments = [] } = options;
  const [browser, account, database, dataFolder] = await Promise.all([
    launchBrowser(browserArguments),
    startFakeAccount(),
    testDatabase(),
    mkdtemp(join(tmpdir(), "parley-install-")),
  ]);
  const lines: string[] = [];
  const start = (port: number) =>
    startAppHost({
      folder,
      database,
      dataFolder,
      port,
      hosts: new Map(["acme", "other"].map((name) => [`${name}${SUFFIX}`, { origin: account.origin }])),
      maps,
      domainSuffix: SUFFIX,
      eventSecret: () => "",
      log: (...line) => void lines.push(logText(...line)),
      ...options.host,
    });
  let host = await start(0);
  return {
    account,
    get host() {
      return host;
    },
    browser,
    lines,
    visit: (options = {}) => openPage(browser, host.url, options),
    async restart() {
      host = await start(host.port);
    },
    close: async () => {
      await browser.close();
      await host.close();
      await account.close();
      await database.close();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
};

/** Accessors of the installation form, by parameter key. */
export const formOn = (page: Page) => {
  const field = (key: string) => page.locator(`[data-field]:has([id="${key}"])`);
  return {
    field,
    errorOf: (key: string) => field(key).locator("[data-part=error]"),
    hintOf: (key: string) => field(key).locator("[data-part=hint]"),
    notice: () => page.locator("[data-notice]"),
    save: () => page.getByRole("button", { name: /^(Install|Save changes)$/ }).click(),
    /** Enters a secure value and replaces the stored one, if any. */
    async secret(key: string, value: string) {
      const replace = page.locator(`[data-field]:has([id="${key}"]) [data-part=replace]`);
      if (await replace.isVisible()) await replace.click();
      await page.fill(`[id="${key}"]`, value);
    },
    leave: () => page.keyboard.press("Tab"),
    /** Waits until no check of the field is pending. */
    waitForCheck: (key: string) => field(key).locator("xpath=self::*[@aria-busy='false']").waitFor(),
    /** Sets attributes through the callback of the fixture app `install-callbacks`. */
    async set(key: string, attributes: IparamAttributes) {
      await page.fill("[id=steer]", JSON.stringify([key, attributes]));
      await page.keyboard.press("Tab");
      await this.waitForCheck("steer");
    },
  };
};
export type InstallForm = ReturnType<typeof formOn>;

/** Starts the fixture for an app with these files; `close` removes them too. @shape files: by path, text or a value that is written as JSON */
export const installFixtureOf = async (
  files: Record<string, unknown>,
  options?: InstallFixtureOptions,
): Promise<InstallFixture> => {
  const folder = await mkdtemp(join(tmpdir(), "parley-installed-"));
  for (const [file, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), typeof content === "string" ? content : JSON.stringify(content));
  }
  const fixture = await installFixture(folder, options);
  const close = fixture.close.bind(fixture);
  return Object.assign(fixture, {
    close: async () => {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  });
};
