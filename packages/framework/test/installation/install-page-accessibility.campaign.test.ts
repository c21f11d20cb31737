import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import axe from "axe-core";
import Fastify from "fastify";
import type { BrowserContextOptions, Page } from "playwright-core";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { liveSiteAddress } from "../../src/pages/origin.ts";
import { installationPage } from "../../src/installation/page/installation-page.ts";
import { createFinding } from "../../src/model/rules.ts";
import { KEY } from "../support/fake-account.ts";
import { PEM, stateApp } from "./install-state-app.ts";
import {
  fixtureFolder,
  formOn,
  installFixture,
  STORED,
  type InstallFixture,
  type PageVisit,
} from "./install-fixture.ts";
import { sampleRows } from "../../../../test/support/campaign.ts";

/** Contrast depends on the colour scheme, overflow on the width: two combinations cover all four values. */
const VIEWPORTS: [string, BrowserContextOptions][] = [
  ["narrow and dark", { viewport: { width: 320, height: 640 }, colorScheme: "dark" }],
  ["wide and light", { viewport: { width: 1280, height: 900 }, colorScheme: "light" }],
];

/** Folder for screenshots of every state, if set. */
const SCREENSHOT_FOLDER = process.env["INSTALL_PICTURES"];

/** These rows equal the earlier rows. With thousands of them the examination takes half a minute. */
const LATER_OPTIONS = "[role=option]:nth-child(n+40)";

/** Returns axe's violations, as text, and an entry if an element is wider than the window. */
const faults = async (page: Page): Promise<string[]> => {
  await page.locator(LATER_OPTIONS).evaluateAll((rows) => {
    for (const row of rows) row.remove();
  });
  const { violations } = await page.evaluate<axe.AxeResults>(
    `(() => { ${axe.source}; return axe.run(document, { iframes: false }); })()`,
  );
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  return [
    ...violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    ),
    ...(overflow > 0 ? [`wider than the window by ${overflow}`] : []),
  ];
};

const examine = async (visit: PageVisit, name: string, viewport: string) => {
  if (SCREENSHOT_FOLDER) {
    // Full page height: the bar with the button is fixed at the lower edge of the window.
    const width = visit.page.viewportSize()?.width ?? 0;
    const height = await visit.page.evaluate(() => document.documentElement.scrollHeight);
    await visit.page.setViewportSize({ width, height });
    const path = join(SCREENSHOT_FOLDER, `${name} ${viewport}.png`.replaceAll(" ", "-"));
    await visit.page.screenshot({ path });
  }
  expect(await faults(visit.page)).toEqual([]);
  await visit.leave();
};

const save = (page: Page) => page.getByRole("button", { name: /^(Install|Save changes)$/ }).click();
const notice = (page: Page, text: string) => page.locator(".notice").getByText(text).first().waitFor();

/** States by app: the name of each state and the actions that lead to it. */
const STATES: Record<string, [string, (page: Page) => Promise<unknown>][]> = {
  "install-types": [
    ["empty", async () => undefined],
    [
      "errors",
      async (page) => {
        await page.fill("[id=email]", "nobody");
        await page.fill("[id=limit]", "many");
        await save(page);
        await notice(page, "Validation failed.");
      },
    ],
    [
      "saved",
      async (page) => {
        await page.fill("[id=domain]", "acme");
        // The second pass finds both values stored.
        const form = formOn(page);
        await form.secret("api_key", KEY);
        await form.secret("password", "secret");
        await save(page);
        await notice(page, STORED);
      },
    ],
    ["edit", (page) => page.getByRole("button", { name: "Remove Signing secret" }).waitFor()],
  ],
  "install-callbacks": [
    [
      "refused",
      async (page) => {
        await page.fill(
          "[id=answer]",
          `refuse ${"A reason of several words that takes more than one line. ".repeat(2)}`,
        );
        await page.locator("[id=answer]").blur();
        await page.getByText("A reason of several words").first().waitFor();
      },
    ],
    [
      "busy",
      async (page) => {
        await page.fill("[id=answer]", "resolve 60000");
        await page.getByText("Checking…").waitFor();
      },
    ],
    [
      "busy saving",
      async (page) => {
        await page.fill("[id=answer]", "resolve 60000");
        await save(page);
        await page.getByRole("button", { name: "Installing…" }).waitFor();
      },
    ],
    [
      "broken outside of a callback",
      async (page) => {
        await page.fill("[id=probe]", "stray x");
        await notice(page, "Something in the app’s own checks went wrong.");
      },
    ],
    [
      "disabled",
      async (page) => {
        for (const key of ["text", "paragraph", "dropdown", "radio", "multiselect", "checkbox", "number", "domain"]) {
          await page.fill("[id=steer]", JSON.stringify([key, { disabled: true }]));
          await page.locator("[id=steer]").blur();
          await page.locator(`[id=${key}]:disabled`).waitFor();
        }
      },
    ],
  ],
  "install-state": [
    [
      "long lists, sections and an error",
      async (page) => {
        await page.fill("[id=name]", "R2D2");
        const topics = formOn(page).field("topics");
        await topics.getByRole("searchbox").fill("12");
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Space");
        await save(page);
        await formOn(page).errorOf("name").getByText("Use letters only.").waitFor();
      },
    ],
    [
      "about to be removed, and the host away",
      async (page) => {
        await formOn(page).secret("pem", PEM);
        await save(page);
        await notice(page, STORED);
        await page.getByRole("button", { name: "Remove Private key" }).click();
        await page.getByRole("button", { name: "Replace Preset" }).click();
        await page.route("**/custom_configs/**", (route) => route.abort());
        await page.fill("[id=name]", "Ada");
        await page.keyboard.press("Tab");
        await notice(page, "The app host can’t be reached");
      },
    ],
  ],
  "install-own": [
    ["own page", (page) => page.frameLocator("iframe[data-own]").locator("body[data-part=loaded]").waitFor()],
    [
      "own page refused",
      async (page) => {
        const own = page.frameLocator("iframe[data-own]");
        await own.locator("body[data-part=loaded]").waitFor();
        await own.locator("#way").fill("reject");
        await save(page);
        await notice(page, "The token is old.");
      },
    ],
    [
      "own page installed",
      async (page) => {
        await page.frameLocator("iframe[data-own]").locator("body[data-part=loaded]").waitFor();
        await save(page);
        await notice(page, STORED);
      },
    ],
    [
      "about to be uninstalled",
      async (page) => {
        await page.frameLocator("iframe[data-own]").locator("body[data-part=loaded]").waitFor();
        await page.getByRole("button", { name: "Uninstall…" }).click();
        await page.getByRole("dialog").waitFor();
      },
    ],
  ],
  "install-none": [["no parameters", (page) => page.getByText("This app has no parameters to fill in.").waitFor()]],
  "install-load-error": [["load error", (page) => notice(page, "The app’s own checks could not start.")]],
  "install-refuses": [
    [
      "refused by the app",
      async (page) => {
        await save(page);
        await notice(page, "This app needs the plan Pro.");
      },
    ],
  ],
};

describe.each(Object.entries(STATES))("the installation page of %s", (app, states) => {
  let fixture: InstallFixture;
  beforeAll(async () => {
    fixture = await installFixture(app === "install-state" ? await stateApp() : fixtureFolder(app));
  });
  afterAll(() => fixture.close());

  const rows = states.flatMap(([name, way], index) =>
    VIEWPORTS.map((_, turn) => VIEWPORTS[(index + turn) % VIEWPORTS.length]!).map(([viewport, options]) => ({
      name,
      way,
      look: viewport,
      options,
    })),
  );

  // Half of the rows: each state once, with alternating viewports.
  test.each(sampleRows(rows, states.length))(
    "$name: is accessible, $look",
    async ({ name, way, look: viewport, options }) => {
      const visit = await fixture.visit(options);
      await way(visit.page);
      await examine(visit, name, viewport);
    },
  );
});

describe("the installation page of an app with an error", () => {
  let folder: string;
  let fixture: InstallFixture;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "parley-broken-"));
    await cp(fixtureFolder("install-callbacks"), folder, { recursive: true });
    fixture = await installFixture(folder);
    const isShown = async () =>
      (await (await fetch(`${fixture.host.url}/custom_configs`)).text()).includes("iparams.js:2");
    await writeFile(join(folder, "config/assets/iparams.js"), "function answer() {\n  return );\n}\n");
    await waitUntil(isShown);
  });
  afterAll(async () => {
    await fixture.close();
    await rm(folder, { recursive: true, force: true });
  });

  test.each(VIEWPORTS)("keeps the last good version and shows the error's location: %s", async (viewport, options) => {
    const visit = await fixture.visit(options);
    await notice(visit.page, "The newest change of this app has an error");
    expect(await visit.page.getByText("config/assets/iparams.js:2").isVisible()).toBe(true);
    await visit.page.getByText("Loaded with fine.").waitFor();
    await examine(visit, "last good version", viewport);
  });

  test.each(VIEWPORTS)(
    "without a good version shows the error's location and no form: %s",
    async (viewport, options) => {
      const app = Fastify();
      const error = createFinding(
        "syntax",
        "server/server.ts",
        { text: 'Expected ";" but found "}"' },
        { line: 12, column: 3 },
      );
      installationPage(app, {
        site: liveSiteAddress(() => "broken"),
        loaded: () => ({ findings: [error] }),
        installations: { find: async () => undefined },
        install: async () => ({ ok: false, errors: {}, message: "" }),
        fetch: () => Promise.reject(new Error("unused")),
        invokeTemplate: async () => Promise.reject(new Error("no project")),
        domainSuffix: ".parley.localhost",
        pageSecret: () => "token",
      });
      const url = await app.listen({ port: 0, host: "127.0.0.1" });
      const context = await fixture.browser.newContext(options);
      const page = await context.newPage();
      await page.goto(`${url}/custom_configs`);
      await notice(page, "This app has an error");
      expect(await page.getByText("server/server.ts:12:3").isVisible()).toBe(true);
      expect(await page.locator("form").count()).toBe(0);
      await examine({ page, errors: [], requests: [], leave: () => context.close() }, "never good", viewport);
      await app.close();
    },
  );
});
