import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { BrowserContextOptions } from "playwright-core";
import { KEY } from "../support/fake-account.ts";
import {
  cookieOfSession,
  sessionAgent,
  startFakeIdentityService,
  type FakeIdentityService,
} from "../support/fake-identity-service.ts";
import { accessibilityViolations } from "../front/front-fixture.ts";
import { realHostPorts } from "../../src/environment/ports.ts";
import { fixtureFolder, installFixture, STORED, type InstallFixture } from "../installation/install-fixture.ts";
import { SERVICE_PAGES } from "./sign-in-fixture.ts";

/** Installation pages that need a session, in a real browser: their sandboxed frames get what they need. */

let identity: FakeIdentityService;
/** How far the clock by which the hosts judge cached answers is ahead. @units milliseconds */
let aheadMs = 0;
let own: InstallFixture;
let callbacks: InstallFixture;
beforeAll(async () => {
  identity = await startFakeIdentityService();
  identity.sessions.set(cookieOfSession("ada"), sessionAgent());
  identity.sessions.set(cookieOfSession("grace"), sessionAgent({ email: "grace@example.com", role_id: "AGENT" }));
  const { origin, adminKey } = identity;
  const host = {
    identity: { origin, adminKey, account: "acme" },
    signIn: { serviceOrigin: SERVICE_PAGES },
    ports: { ...realHostPorts, monotonicMs: () => realHostPorts.monotonicMs() + aheadMs },
  };
  [own, callbacks] = await Promise.all([
    installFixture(fixtureFolder("install-own"), { host }),
    installFixture(fixtureFolder("install-callbacks"), { host }),
  ]);
});
afterAll(async () => {
  await own.close();
  await callbacks.close();
  await identity.close();
});

const signedIn = (name: string): BrowserContextOptions => ({
  storageState: {
    origins: [],
    cookies: [
      {
        name: "parley_session",
        value: cookieOfSession(name),
        domain: "localhost",
        path: "/",
        expires: -1,
        httpOnly: true,
        secure: false,
        sameSite: "Lax",
      },
    ],
  },
});

test("an admin installs an app with its own installation page", async () => {
  const visit = await own.visit(signedIn("ada"));
  const { page, errors } = visit;
  const frame = page.frameLocator("iframe[data-own]");
  await frame.locator("body[data-part=loaded]").waitFor();
  expect(await frame.locator("body").evaluate((body) => getComputedStyle(body).color)).toBe("rgb(1, 2, 3)");
  const { port } = own.host;
  expect(await frame.locator("body").evaluate("origin")).toBe(`http://frame.app-install-own.localhost:${port}`);
  await frame.locator("body").evaluate("localStorage.setItem('kept', '1')");
  await page.reload();
  await frame.locator("body[data-part=loaded]").waitFor();
  expect(await frame.locator("body").evaluate("[localStorage.getItem('kept'), document.cookie]")).toEqual(["1", ""]);
  await page.getByRole("button", { name: "Install" }).click();
  await page.locator("[data-notice]:visible").waitFor();
  expect(errors).toEqual([]);
  await visit.leave();
});

test("an admin installs an app with callbacks, which run in their sandboxed frame", async () => {
  const visit = await callbacks.visit(signedIn("ada"));
  const { page, errors } = visit;
  await page.getByText("Loaded with fine.").waitFor();
  await page.fill("[id=domain]", "acme");
  await page.fill("[id=api_key]", KEY);
  await page.getByRole("button", { name: "Install" }).click();
  await page.locator("[data-notice]:visible").waitFor();
  expect([await page.locator("[data-notice]").textContent(), errors]).toEqual([expect.stringContaining(STORED), []]);
  await visit.leave();
});

test("a page that is open when the session ends says where to sign in, and keeps what was typed", async () => {
  identity.sessions.set(cookieOfSession("brief"), sessionAgent());
  const visit = await callbacks.visit(signedIn("brief"));
  const { page } = visit;
  await page.getByText("Loaded with fine.").waitFor();
  identity.sessions.delete(cookieOfSession("brief"));
  aheadMs += 100;
  await page.fill("[id=text]", "typed before");
  await page.getByRole("button", { name: /^(Install|Save changes)$/ }).click();
  await page.getByText(`Sign in at ${SERVICE_PAGES}/sign-in`).first().waitFor();
  expect(await page.inputValue("[id=text]")).toBe("typed before");
  await visit.leave();
});

test.each([
  ["without a session", undefined, "Sign in"],
  ["for an agent who is not an admin", "grace", "Sign in as another agent"],
])("the page %s is accessible and links to the sign-in", async (_title, name, link) => {
  const visit = await callbacks.visit(name === undefined ? {} : signedIn(name));
  const { page } = visit;
  expect(await page.getByRole("link", { name: link }).getAttribute("href")).toBe(`${SERVICE_PAGES}/sign-in`);
  expect(await accessibilityViolations(page)).toEqual([]);
  await visit.leave();
});

test("no request to the service was other than the contract says", () => {
  expect(identity.faults).toEqual([]);
});
