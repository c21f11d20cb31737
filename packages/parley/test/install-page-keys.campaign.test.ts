import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { AccessToken, AuditEntry } from "@parley/contract";
import { launchBrowser } from "../../framework/test/support/browser.ts";
import { accessibilityViolations } from "../../framework/test/front/front-fixture.ts";
import { startParley } from "../../../test/support/parley-process.ts";
import { appPageHarness, type AppPageHarness } from "./app-page-harness.ts";
import { greeter } from "./greeter-app.ts";

/** The button "Create a key" of the installation page, in a real browser, on the built commands. */

const ADMIN = "noah@acme.example";
const STORED = "App installation parameters have been successfully stored.";
/** An app whose requests can't be derived from its templates. */
const undecided = (): ReturnType<typeof greeter> => {
  const app = greeter("1.0.0");
  const requests = structuredClone(app["config/requests.json"]) as { reply: { schema: { path: string } } };
  requests.reply.schema.path = "/v2/<%= context.path %>";
  return { ...app, "package.json": { name: "open-paths", version: "1.0.0" }, "config/requests.json": requests };
};

let harness: AppPageHarness;
beforeAll(async () => {
  harness = await appPageHarness();
  await harness.publish(greeter("1.0.0"));
  await harness.publish(undecided());
});
afterAll(() => harness.stop());

const keysOf = async (name: string): Promise<AccessToken[]> => {
  const { body } = await harness.admin<{ tokens: AccessToken[] }>("GET", "/admin/accounts/acme/tokens");
  return body.tokens.filter((token) => token.name === name);
};
const button = (visit: Awaited<ReturnType<AppPageHarness["visit"]>>) =>
  visit.page.getByRole("button", { name: "Create a key for Key" });
const state = "[data-part=key-state]";
const CREATED = "A key was created and filled in. It is stored when you save.";

test("an account admin creates a key by keyboard, saves it, and the app works with exactly its permissions", async () => {
  const visit = await harness.visit(harness.pageOf("greeter"));
  const { page, errors } = visit;
  await page.fill("[id=domain]", "acme");
  await button(visit).focus();
  await page.keyboard.press("Enter");
  await page.getByText(CREATED).waitFor();
  expect(await page.locator(state).getAttribute("role")).toBe("status");
  const token = await page.inputValue("[id=api_key]");
  expect(token).toMatch(/^parley_/);
  // It is in its field only, which hides it.
  expect(await page.getAttribute("[id=api_key]", "type")).toBe("password");
  expect(await page.locator("body").innerText()).not.toContain(token);
  const [created] = await keysOf("app greeter");
  expect([created?.permissions, created?.revoked_time]).toEqual([["account:read", "message:create"], undefined]);
  await page.getByRole("button", { name: "Install", exact: true }).click();
  await page.getByText(STORED).waitFor();
  expect(await page.content()).not.toContain(token);
  expect((await keysOf("app greeter")).map(({ revoked_time }) => revoked_time)).toEqual([undefined]);
  const conversation = await harness.write("acme", "with the key");
  expect(await harness.untilReplies("acme", conversation, 1)).toEqual(["Hello 1.0.0: with the key"]);
  expect(errors).toEqual([]);
  await visit.leave();
});

test("the audit log names the agent who created the key", async () => {
  const { body } = await harness.admin<{ entries: AuditEntry[] }>(
    "GET",
    "/admin/accounts/acme/audit-log?items_per_page=100",
  );
  const [id] = (await keysOf("app greeter")).map((key) => key.id);
  const entry = body.entries.find(({ action, subject }) => action === "token.create" && subject === id);
  expect(entry?.actor).toMatchObject({ type: "agent", name: "olivia@acme.example" });
});

test("another key for the same field revokes the previous key; a save with an own key revokes it too", async () => {
  const before = (await keysOf("app greeter")).map(({ id }) => id);
  const visit = await harness.visit(harness.pageOf("greeter"));
  const { page } = visit;
  for (const count of [1, 2]) {
    await button(visit).click();
    await harness.until(async () =>
      (await keysOf("app greeter")).length === before.length + count ? true : undefined,
    );
    await page.getByText(CREATED).waitFor();
  }
  const created = async () => (await keysOf("app greeter")).filter(({ id }) => !before.includes(id));
  const revoked = async () => (await created()).filter(({ revoked_time }) => revoked_time !== undefined).length;
  await harness.until(async () => ((await revoked()) === 1 ? true : undefined));
  const { body } = await harness.admin<{ token: string }>("POST", "/admin/accounts/acme/tokens", { name: "own" });
  await page.fill("[id=api_key]", body.token);
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByText(STORED).waitFor();
  await harness.until(async () => ((await revoked()) === 2 ? true : undefined));
  const conversation = await harness.write("acme", "own key");
  expect(await harness.untilReplies("acme", conversation, 1)).toEqual(["Hello 1.0.0: own key"]);
  await visit.leave();
});

test("an admin who may not create keys sees whom to ask, and the host refuses the request", async () => {
  const visit = await harness.visit(harness.pageOf("greeter"), ADMIN);
  const { page } = visit;
  await page
    .getByText("Ask an account admin for a key with these permissions: account:read, message:create.")
    .waitFor();
  expect(await button(visit).count()).toBe(0);
  const count = (await keysOf("app greeter")).length;
  const asked = await page.evaluate(async () => {
    const { token } = JSON.parse(document.querySelector<HTMLElement>("[data-model]")?.dataset["model"] ?? "") as {
      token: string;
    };
    const reply = await fetch("/custom_configs/api-key", {
      method: "POST",
      headers: { "content-type": "application/json", "x-page-token": token },
      body: JSON.stringify({ key: "api_key" }),
    });
    return [reply.status, await reply.text()];
  });
  expect(asked).toEqual([403, expect.stringContaining("Only an account admin can create a key.")]);
  expect((await keysOf("app greeter")).length).toBe(count);
  await visit.leave();
});

test("an app whose permissions can't be derived: the page says which request, without the button", async () => {
  const visit = await harness.visit(harness.pageOf("open-paths"));
  await visit.page.getByText("config/requests.json, template reply: its path is known only when it is sent").waitFor();
  expect(await button(visit).count()).toBe(0);
  await visit.leave();
});

test.each([
  ["narrow and dark", { viewport: { width: 320, height: 640 }, colorScheme: "dark" }],
  ["wide and light", { viewport: { width: 1280, height: 900 }, colorScheme: "light" }],
] as const)("the button and its message have no accessibility violations: %s", async (_name, options) => {
  const visit = await harness.visit(harness.pageOf("greeter"), undefined, options);
  await button(visit).click();
  await visit.page.getByText(CREATED).waitFor();
  expect(await accessibilityViolations(visit.page)).toEqual([]);
  await visit.leave();
});

test("a page creates keys for its own parameters and its own session only, and not thousands", async () => {
  const visit = await harness.visit(harness.pageOf("greeter"));
  const victim = (await keysOf("app greeter"))[0]?.id ?? "";
  const asked = await visit.page.evaluate(async (id) => {
    const { token } = JSON.parse(document.querySelector<HTMLElement>("[data-model]")?.dataset["model"] ?? "") as {
      token: string;
    };
    const post = async (path: string, body: unknown, headers: Record<string, string>) => {
      const reply = await fetch(`/custom_configs/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      return { status: reply.status, text: await reply.text() };
    };
    const own = { "x-page-token": token };
    const statuses: number[] = [];
    for (let index = 0; index < 25; index += 1)
      statuses.push((await post("api-key", { key: "api_key", replaces: `${id}.forged` }, own)).status);
    return {
      unguarded: (await post("api-key", { key: "api_key" }, {})).status,
      other: (await post("api-key", { key: "greeting" }, own)).status,
      discard: (await post("api-key/discard", { receipts: { api_key: `${id}.forged` } }, own)).status,
      last: await post("api-key", { key: "api_key" }, own),
      statuses,
    };
  }, victim);
  expect([asked.unguarded, asked.other, asked.discard]).toEqual([403, 404, 200]);
  expect(asked.statuses.filter((status) => status === 200).length).toBeLessThan(20);
  expect(asked.last).toEqual({ status: 429, text: expect.stringContaining("Try again later") });
  expect((await keysOf("app greeter")).find(({ id }) => id === victim)?.revoked_time).toBeUndefined();
  await button(visit).click();
  await visit.page.locator(state).filter({ hasText: "Try again later" }).waitFor();
  expect(await accessibilityViolations(visit.page)).toEqual([]);
  await visit.leave();
});

test("an instance on this machine whose pages need no sign-in creates keys for the operator", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parley-key-"));
  const [running, browser] = await Promise.all([startParley(folder, { args: ["--no-install"] }), launchBrowser()]);
  try {
    const page = await browser.newPage();
    await page.goto(running.installPage);
    await page.fill("[id=domain]", "acme");
    await page.getByRole("button", { name: /^Create a key/ }).click();
    await page.getByText(CREATED).waitFor();
    await page.getByRole("button", { name: "Install", exact: true }).click();
    await page.getByText(STORED).waitFor();
  } finally {
    await browser.close();
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
