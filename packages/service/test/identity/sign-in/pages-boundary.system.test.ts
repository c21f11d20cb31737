import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { pagesHarness, type PagesHarness } from "./pages-harness.ts";

let s: PagesHarness;
let attacker: Server;
/** Paths that browsers requested from the attacker's server. */
const requested: string[] = [];
beforeAll(async () => {
  s = await pagesHarness();
  attacker = createServer(({ url = "" }, reply) => {
    requested.push(url);
    reply.setHeader("content-type", "text/html").end(`<iframe src="${s.origin}${url}"></iframe>`);
  });
  await new Promise<void>((resolve) => attacker.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  attacker.close();
  await s.close();
});

/** Serves the pages without their policy, as if they had none. */
const removePolicy = (page: Page) =>
  page.route("**/sign-in", async (route) => {
    const reply = await route.fetch();
    const { "content-security-policy": _policy, ...headers } = reply.headers();
    await route.fulfill({ response: reply, headers });
  });

test("a page of another origin can't frame the sign-in, which it could without the policy", async () => {
  const address = `http://127.0.0.1:${(attacker.address() as AddressInfo).port}/sign-in`;
  const fieldsIn = async (hasPolicy: boolean) => {
    const page = await s.browser.newPage();
    if (!hasPolicy) await removePolicy(page);
    await page.goto(address);
    const frame = page.frames()[1];
    await frame?.waitForLoadState("networkidle");
    const count = await frame?.locator("input[type=password]").count();
    await page.close();
    return count;
  };
  expect([await fieldsIn(false), await fieldsIn(true)]).toEqual([1, 0]);
});

test("injected markup runs no script and sends nothing elsewhere, which it could without the policy", async () => {
  const effects = async (hasPolicy: boolean) => {
    const page = await s.browser.newPage({ bypassCSP: !hasPolicy });
    await page.goto(`${s.origin}/sign-in`);
    requested.length = 0;
    await page.evaluate(
      (elsewhere) =>
        new Promise<void>((resolve) => {
          const script = document.createElement("script");
          script.textContent = "document.title = 'injected'";
          const image = document.createElement("img");
          // The answer is not an image.
          image.addEventListener("error", () => resolve());
          image.src = elsewhere;
          document.body.append(script, image);
        }),
      `http://127.0.0.1:${(attacker.address() as AddressInfo).port}/stolen`,
    );
    const title = await page.title();
    await page.close();
    return [title, [...requested]];
  };
  expect(await effects(false)).toEqual(["injected", ["/stolen"]]);
  expect(await effects(true)).toEqual(["Sign in · Parley", []]);
});

test("before its script runs there is no form: a password never gets into an address", async () => {
  const { page } = await s.open("/sign-in", { javaScriptEnabled: false });
  await page.locator("noscript p").waitFor();
  expect(await page.locator("form, input").count()).toBe(0);
  const scripted = await s.open("/sign-in");
  await scripted.page.locator("form[method=post] #password").waitFor();
});
