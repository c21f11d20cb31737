import { fileURLToPath } from "node:url";
import { expect } from "@jest/globals";
import axe from "axe-core";
import { build } from "esbuild";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { CONTRACT_VALUES } from "../../../../../scripts/contract-values.mjs";
import { sharedBrowser } from "../../../../../test/support/shared-instance.ts";

const ORIGIN = "http://panel.parley.test";
/** Stricter than the service's policy: nothing inline, and no other origin. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self'; base-uri 'none'; form-action 'none'";

const HTML = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Messages</title><link rel="stylesheet" href="/panel.css"></head><body><div id="panel"></div><script src="/panel.js"></script></body></html>`;

const picture = (path: string): string =>
  path.includes("wide")
    ? `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="500"><rect width="900" height="500" fill="#9cc3e6"/><circle cx="260" cy="330" r="110" fill="none" stroke="#23395d" stroke-width="18"/><circle cx="640" cy="330" r="110" fill="none" stroke="#23395d" stroke-width="18"/><path d="M260 330l120-180h180l80 180M380 150l70 180h-190" fill="none" stroke="#c0392b" stroke-width="18"/></svg>`
    : `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80"><rect width="80" height="80" fill="#f3c178"/><circle cx="40" cy="34" r="16" fill="#5b3a29"/><path d="M10 80a30 26 0 0 1 60 0" fill="#2d6a4f"/></svg>`;

let bundle: Promise<Map<string, Buffer>> | undefined;
const bundled = (): Promise<Map<string, Buffer>> =>
  (bundle ??= build({
    entryPoints: { panel: fileURLToPath(new URL("sample-page.ts", import.meta.url)) },
    ...{ bundle: true, write: false, outdir: "/", format: "iife", target: "es2022", conditions: ["parley-source"] },
    ...{ jsx: "automatic", jsxImportSource: "preact", plugins: [CONTRACT_VALUES], logLevel: "warning" },
  }).then(({ outputFiles }) => new Map(outputFiles.map(({ path, contents }) => [path, Buffer.from(contents)]))));

/** A page that shows the panel with sample data. */
export interface SamplePageVisit {
  readonly page: Page;
  /** Errors of scripts and violations of the content security policy. */
  readonly faults: string[];
  readonly close: () => Promise<void>;
}

export const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 800 } };
export const DESK: BrowserContextOptions = { viewport: { width: 400, height: 640 } };

/** Opens the panel in a state of sample-states.ts. The caller closes it. @shape locale: of the site */
export const visitSamplePage = async (
  browser: Browser,
  state: string,
  options: BrowserContextOptions = DESK,
  locale?: string,
): Promise<SamplePageVisit> => {
  const files = await bundled();
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    // The sample data has addresses of files that are missing.
    if (message.type() === "error" && !message.text().includes("404")) faults.push(message.text());
  });
  await page.route("**/*", (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === "/")
      return route.fulfill({ contentType: "text/html", headers: { "content-security-policy": POLICY }, body: HTML });
    const file = files.get(pathname);
    if (file)
      return route.fulfill({ contentType: pathname.endsWith("css") ? "text/css" : "text/javascript", body: file });
    if (pathname.endsWith(".svg")) return route.fulfill({ contentType: "image/svg+xml", body: picture(pathname) });
    return route.fulfill({ status: 404, body: "" });
  });
  await page.goto(`${ORIGIN}/?state=${state}${locale === undefined ? "" : `&locale=${locale}`}`);
  await page.getByRole("dialog").first().waitFor();
  return { page, faults, close: () => context.close() };
};

/** Opens the panel in a state, uses it, and expects no error of a script and no violation of the policy. @shape locale: of the site */
export const withState = async (state: string, use: (page: Page) => Promise<void>, locale?: string): Promise<void> => {
  const { page, faults, close } = await visitSamplePage(await sharedBrowser(), state, DESK, locale);
  await use(page);
  expect(faults).toEqual([]);
  await close();
};

/** -> the arguments of each call of an action of the panel's model */
export const callsOf = (page: Page, name: string): Promise<unknown[][]> =>
  page.evaluate((wanted) => window.sample.calls.filter(([call]) => call === wanted).map(([, ...args]) => args), name);

/** Field for the message. */
export const messageField = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });

export const waitForFocus = (page: Page, selector: string) =>
  page.waitForFunction((wanted) => document.activeElement?.matches(wanted) === true, selector);

/** -> axe's violations, as text, and an entry if the page is wider than the window */
export const accessibilityFaults = async (page: Page): Promise<string[]> => {
  const { violations } = await page.evaluate<axe.AxeResults>(`(() => { ${axe.source}; return axe.run(document); })()`);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  return [
    ...violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    ),
    ...(overflow > 0 ? [`wider than the window by ${overflow}`] : []),
  ];
};
