import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { launchBrowser } from "../../framework/test/support/browser.ts";
import { accessibilityViolations } from "../../framework/test/front/front-fixture.ts";
import { appHarness, type AppHarness } from "../../../test/support/app-harness.ts";
import { parley, startParley, temporaryFolder } from "../../../test/support/parley-process.ts";

/** The simulation page of `parley run`, on which an author sends events, in a browser with an app from `parley init`. */

/** Folder for screenshots of the page, if set. */
const SCREENSHOT_FOLDER = process.env["SIMULATION_PICTURES"];

const VIEWPORTS: [string, BrowserContextOptions][] = [
  ["narrow and dark", { viewport: { width: 320, height: 640 }, colorScheme: "dark" }],
  ["narrow and light", { viewport: { width: 390, height: 800 }, colorScheme: "light" }],
  ["wide and dark", { viewport: { width: 1280, height: 900 }, colorScheme: "dark" }],
  ["wide and light", { viewport: { width: 1280, height: 900 }, colorScheme: "light" }],
];

/** Handlers of every kind that the template doesn't have. */
const MORE = `
const more = {
  onScheduledEventHandler: ({ data }: { data: { task?: string } }) => console.warn("due: " + data.task),
  onExternalEventHandler: ({ headers }: { headers: Record<string, string> }) => {
    console.log(headers["content-type"]);
    throw new Error("The sender is unknown.");
  },
  add: ({ a, b }: { a: number; b: number }) => renderData(null, { sum: a + b }),
};
`;

let base: Awaited<ReturnType<typeof temporaryFolder>>;
let harness: AppHarness;
let browser: Browser;
let page: Page;
let address: string;

/** Returns the template's files with handlers of every kind. */
const filesWithEveryKind = async (folder: string): Promise<Record<string, string>> => {
  const server = await readFile(join(folder, "server/server.ts"), "utf8");
  const manifest = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8")) as {
    modules: { common: { events: object; functions?: object } };
  };
  const { common } = manifest.modules;
  common.functions = { add: { timeout: 20 } };
  common.events = {
    ...common.events,
    onScheduledEvent: { handler: "onScheduledEventHandler" },
    onExternalEvent: { handler: "onExternalEventHandler" },
  };
  return {
    "server/server.ts": server.replace(/^(\/\*\*.*\n)?export default \{/m, `${MORE}$&\n  ...more,`),
    "manifest.json": JSON.stringify(manifest),
    "server/test_data/onScheduledEvent.json": '{ "data": { "task": "tidy" } }',
  };
};

const open = async (options: BrowserContextOptions = {}): Promise<Page> => {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const opened = await context.newPage();
  await opened.goto(`${address}/web/test`);
  return opened;
};

beforeAll(async () => {
  base = await temporaryFolder("parley-simulation-");
  const result = await parley(["init", "tryout", "--template", "events"], { cwd: base.folder });
  expect({ status: result.status, stderr: result.stderr }).toEqual({ status: 0, stderr: "" });
  const folder = join(base.folder, "tryout");
  harness = await appHarness(await filesWithEveryKind(folder), ["--install"], folder);
  browser = await launchBrowser();
  const { apps } = JSON.parse(await harness.callSuccessfully("status", "--json")) as { apps: { app: string }[] };
  address = apps[0]?.app ?? "";
  page = await open();
});
afterAll(async () => {
  await browser?.close();
  await harness?.close();
  await base.remove();
});

const payload = (on = page) => on.getByLabel("Payload", { exact: true });
const outcome = (on = page) => on.getByRole("status");
const result = (on = page) => on.getByRole("region", { name: "Result" });
const choose = async (type: string, event?: string, on = page) => {
  await on.getByLabel("Type").selectOption({ label: type });
  if (event !== undefined) await on.getByLabel("Event", { exact: true }).selectOption({ label: event });
  await on.waitForFunction(() => document.querySelector<HTMLTextAreaElement>("#payload")?.value !== "");
};
const simulate = async (on = page) => {
  await on.getByRole("button", { name: "Simulate" }).click();
  await on.locator("button[type=submit]:not(.busy)").waitFor();
};

test("the simulation page offers each kind of event that the app declares, with its modules and events", async () => {
  const labels = (label: string) => page.getByLabel(label, { exact: true }).locator("option").allTextContents();
  expect(await labels("Type")).toEqual([
    "Product event",
    "App setup event",
    "Scheduled event",
    "External event",
    "Function (client.request.invoke)",
  ]);
  await choose("Product event");
  expect(await labels("Module")).toEqual(["chat_conversation"]);
  expect(await labels("Event")).toEqual(["onConversationCreate", "onMessageCreate"]);
  await choose("App setup event");
  expect([await labels("Module"), await labels("Event")]).toEqual([["common"], ["onAppInstall"]]);
});

describe("the simulation page sends", () => {
  test("a product event with the sample payload of parley event, after its author has edited it", async () => {
    await choose("Product event", "onMessageCreate");
    const sample = JSON.parse(await payload().inputValue()) as { data: { actor: { type: string }; message: object } };
    await harness.call("event", "onMessageCreate", "--json");
    expect(sample).toMatchObject({ event: "onMessageCreate", data: { actor: { type: "user" } } });
    sample.data.actor.type = "agent";
    await payload().fill(JSON.stringify(sample));
    await simulate();
    expect(await outcome().textContent()).toMatch(/^onMessageCreate succeeded in [\d.]+ ms\.$/);
    expect(await result().textContent()).toContain("info: A message from agent was created in conversation");
  });

  test("an event of the app's setup, and shows its answer", async () => {
    await choose("App setup event", "onAppInstall");
    await simulate();
    expect(await outcome().textContent()).toMatch(/^onAppInstall succeeded/);
  });

  test("a scheduled event with the payload of the author's file", async () => {
    await choose("Scheduled event");
    await page.getByText("From server/test_data/onScheduledEvent.json.").waitFor();
    await simulate();
    expect(await result().getByRole("listitem").allTextContents()).toEqual(["warn: due: tidy"]);
  });

  test("an external event, and shows the failure with its location in the source", async () => {
    await choose("External event");
    await simulate();
    expect(await outcome().textContent()).toMatch(
      /^onExternalEvent failed after [\d.]+ ms: Error: The sender is unknown\.$/,
    );
    expect(await result().textContent()).toMatch(/server\/server\.ts:\d+:\d+/);
    expect(await result().getByRole("listitem").allTextContents()).toEqual(["info: application/json"]);
  });

  test("a function call with the keyboard alone, and shows its answer", async () => {
    await choose("Function (client.request.invoke)");
    await payload().focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText('{"a": 2, "b": 3}');
    await page.keyboard.press("Control+Enter");
    await page.getByText(/^add succeeded in/).waitFor();
    expect(await result().textContent()).toContain('"sum": 5');
  });
});

test("the simulation page rejects malformed JSON at its line and sends nothing", async () => {
  await choose("Scheduled event");
  const before = await harness.callSuccessfully("logs", "--json");
  await payload().fill('{\n  "data": {\n    "task": nothing\n  }\n}');
  await simulate();
  expect(await page.locator("#payload-error").textContent()).toMatch(/^Line 3, column 13: .*JSON/);
  expect(await payload().getAttribute("aria-invalid")).toBe("true");
  expect(
    await payload().evaluate((area: HTMLTextAreaElement) => [
      document.activeElement === area,
      area.value.slice(area.selectionStart, area.selectionEnd),
    ]),
  ).toEqual([true, '    "task": nothing']);
  expect(await outcome().textContent()).toBe("Nothing was sent: the payload has a mistake.");
  await payload().fill("[]");
  await simulate();
  expect(await page.locator("#payload-error").textContent()).toContain("A payload is an object");
  expect(await harness.callSuccessfully("logs", "--json")).toBe(before);
  await page.getByRole("button", { name: "Reset payload" }).click();
  await page.waitForFunction(() => document.querySelector("#payload")?.getAttribute("aria-invalid") === null);
});

test("the simulation page keeps an edited payload when its author returns to the event", async () => {
  await choose("Scheduled event");
  await payload().fill('{"data": {"task": "mine"}}');
  await choose("External event");
  await choose("Scheduled event");
  expect(await payload().inputValue()).toBe('{"data": {"task": "mine"}}');
});

describe("the simulation API", () => {
  const body = JSON.stringify({ name: "onScheduledEvent", isFunction: false, payload: "{}" });
  const post = (headers: Record<string, string>, path = "simulate") =>
    fetch(`${address}/web/test/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });
  const token = async () => ((await (await fetch(`${address}/web/test/token`)).json()) as { token: string }).token;

  test("answers a request with the page's token and rejects one without it or from another origin", async () => {
    const own = await token();
    expect((await post({ "x-page-token": own })).status).toBe(200);
    for (const path of ["simulate", "payload"]) {
      expect((await post({}, path)).status).toBe(403);
      expect((await post({ "x-page-token": "guessed" }, path)).status).toBe(403);
      expect((await post({ "x-page-token": own, origin: "http://evil.example" }, path)).status).toBe(403);
    }
  });

  test("gives another origin neither the token nor a frame of the page", async () => {
    const foreign = await fetch(`${address}/web/test/token`, { headers: { "sec-fetch-site": "cross-site" } });
    expect(foreign.status).toBe(403);
    const { headers } = await fetch(`${address}/web/test`);
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
    expect(headers.get("cache-control")).toBe("no-store");
  });
});

test("parley run prints the URL of the simulation page", async () => {
  const run = harness.startInBackground("run", "--ephemeral");
  await waitUntil(() => run.output().includes("Stop with Ctrl-C") || run.hasEnded());
  await run.end();
  expect(run.output()).toMatch(/Raise events +http:\/\/localhost:\d+\/web\/test\n/);
});

test("npm start serves no simulation page", async () => {
  const data = await temporaryFolder();
  const started = await startParley(data.folder);
  try {
    expect((await fetch(`${started.app}/web/test`)).status).toBe(404);
  } finally {
    await started.stop();
    await data.remove();
  }
});

describe.each(VIEWPORTS)("the simulation page, %s, is accessible", (viewport, options) => {
  const examine = async (on: Page, state: string) => {
    if (SCREENSHOT_FOLDER)
      await on.screenshot({
        path: join(SCREENSHOT_FOLDER, `${state} ${viewport}.png`.replaceAll(" ", "-")),
        fullPage: true,
      });
    expect(await accessibilityViolations(on)).toEqual([]);
  };

  test("initially, after a success, after a failure and with an invalid payload", async () => {
    const own = await open(options);
    await choose("Product event", "onMessageCreate", own);
    await examine(own, "opened");
    await simulate(own);
    await examine(own, "succeeded");
    await choose("External event", undefined, own);
    await simulate(own);
    await examine(own, "failed");
    await payload(own).fill('{\n  "data": {,}\n}');
    await simulate(own);
    await examine(own, "mistake");
    await own.context().close();
  });
});
