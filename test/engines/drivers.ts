import { spawn, type ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import puppeteer, { type ElementHandle } from "puppeteer-core";
import { Builder, Capabilities, error, type WebElement } from "selenium-webdriver";
import { launchProfile, launchWholeBrowser } from "../../packages/framework/test/support/browser.ts";
import { installedWebKit, type InstalledEngine } from "./installed-engines.mjs";

/**
 * A page of a browser with a new profile. Expressions are texts of JavaScript; an element is the value of an expression.
 * @shape frame: a part of the address of a frame of the page, in which the expression is evaluated; the page itself when absent
 */
export interface EnginePage {
  open(address: string): Promise<void>;
  evaluate<T>(expression: string, frame?: string): Promise<T>;
  click(element: string, frame?: string): Promise<void>;
  type(element: string, text: string, frame?: string): Promise<void>;
  chooseFile(element: string, path: string): Promise<void>;
  /** -> since the last call: script errors and rejections of the page that nothing handled; of browsers that report them, also errors in the console */
  takeErrors(): Promise<readonly string[]>;
  close(): Promise<void>;
}

const isRoot = process.getuid?.() === 0;
const WIDTH = 1_440;
const HEIGHT = 900;
const PAGE_OPTIONS = { viewport: { width: WIDTH, height: HEIGHT }, locale: "en-GB" };

/** A profile that blocks or keeps cookies and storage of third parties. -> its page, and what ends it */
const openProfile = async (thirdParties: "blocked" | "kept") => {
  const folder = await mkdtemp(join(tmpdir(), "parley-profile-"));
  const isBlocking = thirdParties === "blocked";
  const profile = { cookie_controls_mode: isBlocking ? 1 : 0, block_third_party_cookies: isBlocking };
  await mkdir(join(folder, "Default"));
  await writeFile(join(folder, "Default/Preferences"), JSON.stringify({ profile }));
  const context = await launchProfile(folder, PAGE_OPTIONS);
  const close = async () => {
    await context.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { page: await context.newPage(), close };
};

/** A private window. */
const openPrivateWindow = async () => {
  const browser = await launchWholeBrowser();
  const page = await browser.newPage(PAGE_OPTIONS);
  return { page, close: () => browser.close() };
};

const openChromium = async ({ thirdParties }: EngineOptions): Promise<EnginePage> => {
  const { page, close } = await (thirdParties ? openProfile(thirdParties) : openPrivateWindow());
  const errors: string[] = [];
  page.on("pageerror", ({ message }) => void errors.push(message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(`${message.text()} ${message.location().url}`);
  });
  const frameOf = (part?: string) => {
    const frame = part === undefined ? page : page.frames().find((each) => each.url().includes(part));
    if (!frame) throw new Error(`There is no frame ${part}.`);
    return frame;
  };
  const find = async (element: string, part?: string) => {
    const found = (await frameOf(part).evaluateHandle<SVGElement | HTMLElement | null>(element)).asElement();
    if (!found) throw new Error(`There is no ${element}.`);
    return found;
  };
  return {
    open: async (address) => void (await page.goto(address)),
    evaluate: async (expression, part) => frameOf(part).evaluate(expression),
    click: async (element, part) => (await find(element, part)).click({ timeout: 5_000 }),
    type: async (element, text, part) => (await find(element, part)).type(text),
    chooseFile: async (element, path) => (await find(element)).setInputFiles(path),
    takeErrors: async () => errors.splice(0),
    close,
  };
};

/** Value of Firefox's setting that refuses cookies and storage to third parties. */
const REFUSE_THIRD_PARTIES = 1;

const openFirefox = async (executablePath: string, { thirdParties }: EngineOptions): Promise<EnginePage> => {
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath,
    headless: true,
    defaultViewport: { width: WIDTH, height: HEIGHT },
    extraPrefsFirefox: {
      "intl.accept_languages": "en-GB",
      ...(isRoot && { "security.sandbox.content.level": 0 }),
      ...(thirdParties === "blocked" && { "network.cookie.cookieBehavior": REFUSE_THIRD_PARTIES }),
    },
  });
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on("pageerror", (thrown) => void errors.push(String(thrown)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(`${message.text()} ${message.location().url ?? ""}`);
  });
  const frameOf = (part?: string) => {
    const frame = part === undefined ? page : page.frames().find((each) => each.url().includes(part));
    if (!frame) throw new Error(`There is no frame ${part}.`);
    return frame;
  };
  const find = async (element: string, part?: string) => {
    const found = (await frameOf(part).evaluateHandle(element)).asElement();
    if (!found) throw new Error(`There is no ${element}.`);
    return found as ElementHandle<HTMLInputElement>;
  };
  return {
    open: async (address) => void (await page.goto(address)),
    evaluate: async <T>(expression: string, part?: string) => (await frameOf(part).evaluate(expression)) as T,
    click: async (element, part) => (await find(element, part)).click(),
    type: async (element, text, part) => (await find(element, part)).type(text),
    chooseFile: async (element, path) => (await find(element)).uploadFile(path),
    takeErrors: async () => errors.splice(0),
    close: () => browser.close(),
  };
};

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

/** Starts a display without a screen. -> its name */
const startDisplay = async (xvfb: string, started: ChildProcess[]): Promise<string> => {
  const screen = `${WIDTH}x${HEIGHT}x24`;
  const child = spawn(xvfb, ["-displayfd", "3", "-screen", "0", screen, "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  started.push(child);
  return new Promise((resolve, reject) => {
    child.stdio[3]?.once("data", (line: Buffer) => resolve(`:${line.toString().trim()}`));
    child.once("close", (status) => reject(new Error(`Xvfb ended with ${status}.`)));
  });
};

/** WebDriver reports no errors of a page: the page collects its own, from its first expression on. */
const COLLECT = `window.__errors ??= (() => {
  const list = [];
  addEventListener("error", ({ message }) => list.push(message));
  addEventListener("unhandledrejection", ({ reason }) => list.push(String(reason)));
  return list;
})();`;

const openWebKit = async (): Promise<EnginePage> => {
  const installed = installedWebKit();
  if (!installed) throw new Error("WebKitGTK is not installed.");
  const started: ChildProcess[] = [];
  const close = () => {
    for (const child of started.toReversed()) child.kill();
  };
  try {
    const display = installed.xvfb === undefined ? {} : { DISPLAY: await startDisplay(installed.xvfb, started) };
    const port = await freePort();
    const sandbox = isRoot ? { WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1" } : {};
    started.push(
      spawn(installed.driver, [`--port=${port}`, "--host=127.0.0.1"], {
        env: { ...process.env, ...display, ...sandbox, WEBKIT_DISABLE_COMPOSITING_MODE: "1", LANG: "C.UTF-8" },
        stdio: "ignore",
      }),
    );
    const server = `http://127.0.0.1:${port}`;
    for (let tries = 0; !(await fetch(`${server}/status`).catch(() => undefined)); tries++) {
      if (tries === 300) throw new Error("WebKitWebDriver does not answer.");
      await wait(50);
    }
    const capabilities = new Capabilities({
      browserName: "MiniBrowser",
      "webkitgtk:browserOptions": { binary: installed.path, args: ["--automation"] },
      // The page's errors are collected while it loads.
      pageLoadStrategy: "none",
    });
    const driver = await new Builder().usingServer(server).withCapabilities(capabilities).build();
    await driver.manage().window().setRect({ x: 0, y: 0, width: WIDTH, height: HEIGHT });
    const errors: string[] = [];
    const evaluate = <T>(expression: string): Promise<T> =>
      driver.executeScript<T>(`${COLLECT} return (${expression});`);
    const find = async (element: string) => {
      const found = await evaluate<WebElement | null>(element);
      if (!found) throw new Error(`There is no ${element}.`);
      return found;
    };
    /** Enters the frame whose address contains a text, below the present frame. -> whether there is such a frame */
    const enter = async (part: string): Promise<boolean> => {
      for (const frame of await evaluate<WebElement[]>("[...document.querySelectorAll('iframe')]")) {
        await driver.switchTo().frame(frame);
        if ((await evaluate<string>("location.href")).includes(part) || (await enter(part))) return true;
        await driver.switchTo().parentFrame();
      }
      return false;
    };
    /** Acts in the page, or in one of its frames. */
    const within = async <T>(part: string | undefined, act: () => Promise<T>): Promise<T> => {
      if (part === undefined) return act();
      try {
        if (!(await enter(part))) throw new Error(`There is no frame ${part}.`);
        return await act();
      } finally {
        await driver.switchTo().defaultContent();
      }
    };
    const keepErrors = async () => {
      errors.push(...(await evaluate<string[]>("window.__errors.splice(0)")));
    };
    return {
      async open(address) {
        await keepErrors();
        await evaluate("window.__isLeft = true");
        await driver.get(address);
        while (!(await evaluate("!window.__isLeft && document.readyState === 'complete'").catch(() => false)))
          await wait(10);
      },
      evaluate: (expression, part) => within(part, () => evaluate(expression)),
      click: (element, part) => within(part, async () => (await find(element)).click()),
      type: (element, text, part) => within(part, async () => (await find(element)).sendKeys(text)),
      chooseFile: async (element, path) => (await find(element)).sendKeys(path),
      async takeErrors() {
        await keepErrors();
        return errors.splice(0);
      },
      async close() {
        await driver.quit().catch((thrown: unknown) => {
          if (!(thrown instanceof error.WebDriverError)) throw thrown;
        });
        close();
      },
    };
  } catch (thrown) {
    close();
    throw thrown;
  }
};

interface EngineOptions {
  /**
   * Cookies and storage of frames of other sites. When absent, Chromium opens a private window, which blocks them. Firefox and WebKit separate them by
   * the site unless they are blocked; WebKit cannot block them.
   */
  readonly thirdParties?: "blocked" | "kept";
}

/** Starts the browser of an engine that is installed. */
export const openEngine = async (engine: InstalledEngine, options: EngineOptions = {}): Promise<EnginePage> => {
  switch (engine.name) {
    case "Chromium":
      return openChromium(options);
    case "Firefox":
      return openFirefox(engine.path, options);
    case "WebKitGTK":
      return openWebKit();
  }
};
