import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { launchBrowser } from "../../framework/test/support/browser.ts";
import { appHarness, type AppHarness } from "../../../test/support/app-harness.ts";
import { parley, temporaryFolder } from "../../../test/support/parley-process.ts";

/** The console's page of an app that `parley run` serves, on which its author raises events, with an app from `parley init`. */

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

beforeAll(async () => {
  base = await temporaryFolder("parley-raise-events-");
  const result = await parley(["init", "tryout", "--template", "events"], { cwd: base.folder });
  expect({ status: result.status, stderr: result.stderr }).toEqual({ status: 0, stderr: "" });
  const folder = join(base.folder, "tryout");
  harness = await appHarness(await filesWithEveryKind(folder), ["--install"], folder);
  browser = await launchBrowser();
  const { apps } = JSON.parse(await harness.callSuccessfully("status", "--json")) as { apps: { app: string }[] };
  address = `${apps[0]?.app ?? ""}/web/test`;
  const { link } = JSON.parse(await harness.callSuccessfully("sign-in", "--json")) as { link: string };
  page = await (await browser.newContext({ reducedMotion: "reduce" })).newPage();
  page.setDefaultTimeout(30_000);
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => url.pathname.startsWith("/console"));
  await page.goto(address);
  await page.getByRole("heading", { name: "Calls" }).waitFor();
});
afterAll(async () => {
  await browser?.close();
  await harness?.close();
  await base.remove();
});

const dialog = () => page.getByRole("dialog");
const payload = () => dialog().getByLabel("Payload", { exact: true });
const open = async () => {
  await page.getByRole("button", { name: "Raise an event" }).click();
  await payload().waitFor();
};
const events = async (): Promise<string[]> => {
  await dialog()
    .getByRole("button", { name: /Event$/ })
    .click();
  return page.getByRole("option").allTextContents();
};
const choose = async (event: string) => {
  await events();
  await page.getByRole("option", { name: event, exact: true }).click();
};
const send = () => dialog().getByRole("button", { name: "Raise an event" }).click();
/** The call's text, after its dialog is closed. */
const result = async (event: string): Promise<string> => {
  await page.getByRole("heading", { name: `Call of ${event}` }).waitFor();
  await dialog().getByText("Handler:").waitFor();
  const text = await dialog().innerText();
  await dialog().getByRole("button", { name: "Close" }).last().click();
  await dialog().waitFor({ state: "detached" });
  return text;
};

test("the app's earlier address for raising events leads to its page in the console", async () => {
  expect(new URL(page.url()).pathname).toBe("/console/admin/apps/tryout");
  const { status, headers } = await fetch(address, { redirect: "manual" });
  expect([status, headers.get("location")]).toEqual([302, page.url()]);
});

test("the page offers each event and function that the app declares", async () => {
  await open();
  expect((await events()).sort()).toEqual([
    "add (function)",
    "onAppInstall",
    "onConversationCreate",
    "onExternalEvent",
    "onMessageCreate",
    "onScheduledEvent",
  ]);
  await page.keyboard.press("Escape");
  await dialog().getByRole("button", { name: "Cancel" }).click();
});

describe("the page sends", () => {
  test("a product event with the sample payload of parley event, after its author has edited it", async () => {
    await open();
    await choose("onMessageCreate");
    const sample = JSON.parse(await payload().inputValue()) as { data: { actor: { type: string }; message: object } };
    expect(sample).toMatchObject({ event: "onMessageCreate", data: { actor: { type: "user" } } });
    sample.data.actor.type = "agent";
    await payload().fill(JSON.stringify(sample));
    await send();
    const text = await result("onMessageCreate");
    expect(text).toContain("Succeeded");
    expect(text).toContain("info: A message from agent was created in conversation");
  });

  test("an event of the app's setup", async () => {
    await open();
    await choose("onAppInstall");
    await send();
    expect(await result("onAppInstall")).toContain("Succeeded");
  });

  test("a scheduled event with the payload of the author's file", async () => {
    await open();
    await choose("onScheduledEvent");
    await dialog().getByText("The sample is the file server/test_data/onScheduledEvent.json of the app.").waitFor();
    await send();
    expect(await result("onScheduledEvent")).toContain("warn: due: tidy");
  });

  test("an external event, and shows the failure with its location in the source", async () => {
    await open();
    await choose("onExternalEvent");
    await send();
    const text = await result("onExternalEvent");
    expect(text).toContain("Failed");
    expect(text).toContain("The sender is unknown.");
    expect(text).toMatch(/server\/server\.ts:\d+:\d+/);
    expect(text).toContain("info: application/json");
  });

  test("a function call with the keyboard alone, and shows its answer", async () => {
    await open();
    await choose("add (function)");
    await payload().focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText('{"a": 2, "b": 3}');
    await page.keyboard.press("Control+Enter");
    expect(await result("add")).toContain('"sum": 5');
  });
});

test("the page rejects malformed JSON at its line and sends nothing", async () => {
  await open();
  await choose("onScheduledEvent");
  const before = await harness.callSuccessfully("logs", "--json");
  await payload().fill('{\n  "data": {\n    "task": nothing\n  }\n}');
  await send();
  await dialog().getByText("This is not JSON (line 3, column 13)").waitFor();
  expect(await payload().getAttribute("aria-invalid")).toBe("true");
  await payload().fill("[]");
  await dialog().getByText("A payload is an object").waitFor();
  expect(await harness.callSuccessfully("logs", "--json")).toBe(before);
  await dialog().getByRole("button", { name: "Reset the payload" }).click();
  expect(await payload().inputValue()).toContain("tidy");
  expect(await payload().getAttribute("aria-invalid")).not.toBe("true");
});

test("the page keeps an edited payload when its author returns to the event", async () => {
  await payload().fill('{"data": {"task": "mine"}}');
  await choose("onExternalEvent");
  await choose("onScheduledEvent");
  expect(await payload().inputValue()).toBe('{"data": {"task": "mine"}}');
  await dialog().getByRole("button", { name: "Cancel" }).click();
});

test("an author's file with malformed JSON is named with its error", async () => {
  await harness.write("server/test_data/onExternalEvent.json", "{ not JSON");
  await page.reload();
  await open();
  await choose("onExternalEvent");
  await dialog()
    .getByText(/^server\/test_data\/onExternalEvent\.json:1: /)
    .waitFor();
  expect(await payload().inputValue()).toBe("{}");
  await dialog().getByRole("button", { name: "Cancel" }).click();
});

test("an error of the newest files is shown, while the last version without errors goes on", async () => {
  const file = "manifest.json";
  const good = await readFile(join(harness.folder, file), "utf8");
  await harness.write(file, "{");
  const notice = page.getByText("The newest change of this app has an error");
  await waitUntil(async () => {
    await page.reload();
    await page.getByRole("heading", { name: "Calls" }).waitFor();
    return (await notice.count()) > 0;
  });
  await page.getByText(/^manifest\.json:1:/).waitFor();
  await open();
  await choose("onAppInstall");
  await send();
  expect(await result("onAppInstall")).toContain("Succeeded");
  await harness.write(file, good);
});

test("parley run prints the address of the app's page in the console, and a link that signs in", async () => {
  const run = harness.startInBackground("run", "--ephemeral");
  await waitUntil(() => run.output().includes("Stop with Ctrl-C") || run.hasEnded());
  await run.end();
  expect(run.output()).toMatch(/Raise events +http:\/\/localhost:\d+\/console\/admin\/apps\/tryout\n/);
  expect(run.output()).toMatch(/Sign in +http:\/\/localhost:\d+\/sign-in\/link\/\S+/);
});
