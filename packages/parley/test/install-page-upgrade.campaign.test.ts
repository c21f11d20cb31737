import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { AuditEntry, InstallationDetails } from "@parley/contract";
import type { Page } from "playwright-core";
import { accessibilityViolations } from "../../framework/test/front/front-fixture.ts";
import { appPageHarness, type AppPageHarness } from "./app-page-harness.ts";
import { greeter, type TestAppFiles } from "./greeter-app.ts";

/** Upgrades and rollbacks on the installation pages of published apps, in a real browser, with two processes of the platform. */

const base = greeter("1.0.0");
const iparams = base["config/iparams.json"] as Record<string, object>;
const requests = base["config/requests.json"] as Record<string, { schema: object }>;

/** Version 2 has a new parameter and reads conversations. */
const second = (): TestAppFiles =>
  greeter("2.0.0", {
    "config/iparams.json": { ...iparams, farewell: { display_name: "Farewell", type: "text", required: true } },
    "config/requests.json": {
      ...requests,
      history: {
        schema: {
          method: "GET",
          protocol: "https",
          host: "<%= iparam.domain %>",
          path: "/v2/conversations/<%= context.id %>",
          headers: { Authorization: "Bearer <%= iparam.api_key %>" },
        },
      },
    },
    "manifest.json": {
      ...(base["manifest.json"] as object),
      modules: {
        ...(base["manifest.json"] as { modules: object }).modules,
        common: {
          ...(base["manifest.json"] as { modules: { common: object } }).modules.common,
          requests: { reply: {}, history: {} },
        },
      },
    },
  });
/** Version 3 differs in its code only. */
const third = (): TestAppFiles => ({
  ...second(),
  "package.json": { name: "greeter", version: "3.0.0" },
  "server/server.js": greeter("3.0.0")["server/server.js"] ?? "",
});

const withCallbacks = (version: string): TestAppFiles => ({
  "package.json": { name: "checked", version },
  "manifest.json": {
    "platform-version": "3.0",
    modules: {
      common: {},
      chat_conversation: { location: { conversation_user_info: { url: "index.html", icon: "icon.svg" } } },
    },
  },
  "app/index.html": "<!doctype html>{{{appclient}}}",
  "app/icon.svg": "<svg/>",
  "config/iparams.json": {
    text: { display_name: "Text", type: "text", events: [{ change: "checkText" }] },
    ...(version === "1.0.0" ? {} : { more: { display_name: "More", type: "text" } }),
  },
  "config/assets/iparams.js": `
app.initialized().then(function () {});
function onFormLoad() { utils.set("text", { hint: "callbacks of ${version}" }); }
function checkText(value) { return value === "wrong" ? "Refused by ${version}." : ""; }
`,
});
const withOwnPage = (version: string): TestAppFiles => ({
  ...withCallbacks(version),
  "package.json": { name: "own-page", version },
  "config/iparams.json": "",
  "config/assets/iparams.js": "",
  "config/assets/part.js": `document.body.dataset.part = "file of ${version}";`,
  "config/iparams.html": `<!doctype html><html><head></head><body><p>page of ${version}</p><script src="./assets/part.js"></script>
<script>function postConfigs() { return { saved: "${version}" }; } function getConfigs() {}</script></body></html>`,
});
const written = (files: TestAppFiles): TestAppFiles =>
  Object.fromEntries(Object.entries(files).filter(([, content]) => content !== ""));

let harness: AppPageHarness;
beforeAll(async () => {
  harness = await appPageHarness(["--app-workers", "2"]);
  for (const files of [base, withCallbacks("1.0.0"), withOwnPage("1.0.0")]) await harness.publish(written(files));
  await harness.install("acme", { name: "greeter", iparams: { greeting: "Hi" } });
  await harness.install("acme", { name: "checked" });
  await harness.install("acme", { name: "own-page", iparams: { saved: "1.0.0" } });
});
afterAll(() => harness.stop());

const installed = async (app: string) =>
  (await harness.request<InstallationDetails>("GET", `/platform/accounts/acme/apps/${app}`)).body;
const answers = async (text: string, count = 1) => {
  const conversation = await harness.write("acme", text);
  return harness.untilReplies("acme", conversation, count);
};
const labels = (page: Page) => page.locator("[data-field]:visible [data-part=label]").allTextContents();
const CREATED = "A key was created and filled in. It is stored when you save.";

test("the page of the newest version says nothing about versions", async () => {
  const visit = await harness.visit(harness.pageOf("greeter"));
  await visit.page.getByRole("button", { name: "Save changes" }).waitFor();
  expect(await visit.page.locator(".versions").count()).toBe(0);
  await visit.leave();
});

test("a click on a button before the script of the page has loaded is not lost: the button takes it afterwards", async () => {
  const visit = await harness.visit("about:blank");
  const { page } = visit;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/custom_configs/page.js", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(harness.pageOf("greeter"), { waitUntil: "commit" });
  const save = page.getByRole("button", { name: "Save changes" });
  await save.waitFor();
  const click = save.click();
  expect(await page.locator("button:visible:enabled").count()).toBe(0);
  release();
  await click;
  await page.getByText("have been successfully stored").waitFor();
  expect(await page.locator("button:disabled").count()).toBe(0);
  await visit.leave();
});

test("an admin upgrades: the page asks for the new parameter and a key with more permissions, and keeps the rest", async () => {
  await harness.publish(second());
  const visit = await harness.visit(harness.pageOf("greeter"));
  const { page, errors } = visit;
  await page.getByText("Version 2.0.0 is available.").waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole("link", { name: "Upgrade to version 2.0.0" }).click();
  await page.getByRole("heading", { name: "Upgrade from version 1.0.0 to version 2.0.0" }).waitFor();
  await page
    .getByText("Only parameters that are new or changed are shown. The other parameters keep their values.")
    .waitFor();
  await page.getByText("Version 2.0.0 needs permissions that the present key may lack: conversation:read.").waitFor();
  expect(await labels(page)).toEqual(["Key", "Farewell"]);
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Upgrade to version 2.0.0" }).click();
  await page.getByText("Nothing was saved.").waitFor();
  expect((await installed("greeter")).version).toBe("1.0.0");
  await page.getByRole("button", { name: "Create a key for Key" }).click();
  await page.getByText(CREATED).waitFor();
  await page.fill("[id=farewell]", "Bye");
  await page.getByRole("button", { name: "Upgrade to version 2.0.0" }).click();
  await page.getByText("The app was changed to version 2.0.0.").waitFor();
  expect(page.url()).toBe(harness.pageOf("greeter"));
  expect(await page.inputValue("[id=greeting]")).toBe("Hi");
  expect(await page.inputValue("[id=farewell]")).toBe("Bye");
  expect((await installed("greeter")).version).toBe("2.0.0");
  expect(await answers("after")).toEqual(["Hi 2.0.0: after"]);
  expect(errors).toEqual([]);
  await visit.leave();
});

test("the page returns to the version before, with its parameters, after a confirmation", async () => {
  const visit = await harness.visit(harness.pageOf("greeter"), undefined, {
    viewport: { width: 320, height: 640 },
    colorScheme: "dark",
  });
  const { page } = visit;
  await page.fill("[id=greeting]", "Changed");
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByText("have been successfully stored").waitFor();
  await page.getByRole("button", { name: "Return to version 1.0.0…" }).click();
  await page.getByRole("heading", { name: "Return to version 1.0.0?" }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Return to version 1.0.0", exact: true }).click();
  await page.getByText("The app has returned to version 1.0.0, with the parameters that it had then.").waitFor();
  expect(await page.inputValue("[id=greeting]")).toBe("Hi");
  expect(await page.locator("[data-rollback]").count()).toBe(0);
  expect(await installed("greeter")).toMatchObject({ version: "1.0.0", newer_version: "2.0.0" });
  expect(await answers("before")).toEqual(["Hi 1.0.0: before"]);
  await visit.leave();
});

test("an upgrade and a rollback are in the audit log, with the agent", async () => {
  const actions = await harness.until(async () => {
    const { body } = await harness.admin<{ entries: AuditEntry[] }>(
      "GET",
      "/admin/accounts/acme/audit-log?items_per_page=100",
    );
    const own = body.entries.filter(({ subject, actor }) => subject === "greeter" && actor.type === "agent");
    const found = own.map(({ action }) => action);
    return found.includes("app.rollback") ? found : undefined;
  });
  expect(actions).toEqual(expect.arrayContaining(["app.upgrade", "app.rollback"]));
});

test("an upgrade without new parameters has only its button", async () => {
  await harness.run(
    "apps",
    "upgrade",
    "greeter",
    "--account",
    "acme",
    "--version",
    "2.0.0",
    "--iparams",
    await harness.values({ farewell: "Bye" }),
  );
  await harness.publish(third());
  const visit = await harness.visit(harness.pageOf("greeter", "?version=3.0.0"));
  const { page } = visit;
  await page.getByText("No parameter is new or changed: all parameters keep their values.").waitFor();
  expect(await page.locator("[data-field]").count()).toBe(0);
  await page.getByRole("link", { name: "Show all parameters" }).click();
  await page.getByText("All parameters are shown, with their present values.").waitFor();
  expect(await labels(page)).toEqual(["Domain", "Key", "Greeting", "Farewell"]);
  await page.goBack();
  await page.getByRole("button", { name: "Upgrade to version 3.0.0" }).click();
  await page.getByText("The app was changed to version 3.0.0.").waitFor();
  await page.getByRole("button", { name: "Return to version 2.0.0…" }).waitFor();
  expect(await answers("third")).toEqual(["Hi 3.0.0: third"]);
  await visit.leave();
});

test("a page that was opened before an upgrade can't return the app to its version by saving", async () => {
  await harness.request("POST", "/platform/accounts/acme/apps/greeter/rollback");
  const visit = await harness.visit(harness.pageOf("greeter"));
  const { page } = visit;
  await page.fill("[id=greeting]", "Stale");
  await harness.request("POST", "/platform/accounts/acme/apps/greeter/upgrade", { version: "3.0.0" });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("The app was upgraded or returned to another version since this page was opened.").waitFor();
  }
  expect((await installed("greeter")).version).toBe("3.0.0");
  await visit.leave();
});

test("callbacks, checks and the save of an upgrade page are those of its version, and all fields are shown", async () => {
  await harness.publish(written(withCallbacks("2.0.0")));
  const visit = await harness.visit(harness.pageOf("checked", "?version=2.0.0"));
  const { page } = visit;
  await page.getByText("callbacks of 2.0.0").waitFor();
  expect(await labels(page)).toEqual(["Text", "More"]);
  await page.fill("[id=text]", "wrong");
  await page.getByText("Refused by 2.0.0.").waitFor();
  await page.fill("[id=text]", "right");
  await page.getByRole("button", { name: "Upgrade to version 2.0.0" }).click();
  await page.getByText("The app was changed to version 2.0.0.").waitFor();
  await visit.leave();
});

test("an app's own installation page and its files are those of the version, and its values are saved for it", async () => {
  await harness.publish(written(withOwnPage("2.0.0")));
  const visit = await harness.visit(harness.pageOf("own-page", "?version=2.0.0"));
  const { page, requests: asked } = visit;
  const frame = page.frameLocator("iframe[data-own]");
  await frame.getByText("page of 2.0.0").waitFor();
  await frame.locator('body[data-part="file of 2.0.0"]').waitFor();
  const frames = new URL(harness.pageOf("own-page")).origin.replace("//", "//frame--");
  expect(asked.filter((url) => url.startsWith(`${frames}/`)).map((url) => new URL(url).pathname)).toEqual(
    expect.arrayContaining([
      "/custom_configs/own/version/2.0.0/",
      "/custom_configs/own/version/2.0.0/assets/part.js",
      "/custom_configs/own-client.js",
    ]),
  );
  const body = frame.locator("body");
  expect(await body.evaluate("localStorage.setItem('kept', '1'), document.cookie = 'kept=2', origin")).toBe(frames);
  await page.reload();
  await frame.getByText("page of 2.0.0").waitFor();
  expect(await body.evaluate("[localStorage.getItem('kept'), document.cookie]")).toEqual(["1", "kept=2"]);
  await page.getByRole("button", { name: "Upgrade to version 2.0.0" }).click();
  await page.getByText("The app was changed to version 2.0.0.").waitFor();
  expect((await installed("own-page")).version).toBe("2.0.0");
  await visit.leave();
});

test("a version that the account can't install has no page", async () => {
  const visit = await harness.visit(harness.pageOf("greeter", "?version=9.9.9"));
  await visit.page.getByText("The app has no such version.").waitFor();
  await visit.leave();
  await harness.publish(
    { ...withCallbacks("1.0.0"), "package.json": { name: "withheld", version: "1.0.0" } },
    "name=withheld&version=1.0.0&accounts=solo",
  );
  const other = await harness.visit(harness.pageOf("withheld", "?version=1.0.0"));
  await other.page.getByText("This account has no such app.").waitFor();
  await other.leave();
});
