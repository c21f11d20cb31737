import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parleyClient } from "@parley/client";
import type { Page } from "playwright-core";
import { sharedBrowser, sharedInstance, type OperatedInstance } from "../../../../test/support/shared-instance.ts";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { writerOf } from "../support/account.ts";
import { fieldOf, panelOf, write } from "../support/panel.ts";
import { signedIdentities, type SignedIdentities } from "../support/signed-identity.ts";
import { htmlPage, serveSite, type Site } from "../support/site.ts";

/** A site that signs its visitors in, in an account that requires it, with the panel and the service. */

let instance: OperatedInstance;
let identities: SignedIdentities;
let site: Site;
let page: Page;
beforeAll(async () => {
  instance = await sharedInstance("without apps");
  identities = await signedIdentities(instance.origin, instance.dataFolder);
  await identities.require({ is_required: true, is_hidden_until_signed: true });
  site = await serveSite({
    "/": htmlPage("<h1>Shop</h1>", `<script src="${instance.origin}/js/widget.js?account=acme"></script>`),
  });
  page = await (await sharedBrowser()).newPage();
  await page.goto(site.origin);
});
afterAll(async () => {
  await page?.context().close();
  await site?.close();
  await identities?.require({});
});

const EVENTS = ["frame:statechange", "user:authenticated", "user:created"];
const run = <T = unknown>(expression: string) => page.evaluate<T>(expression);

/** What a site does when it is told that the visitor has no signed identity. @shape seconds: for which the token holds */
const signIn = async (seconds: number) => {
  const { data: browserId } = await run<{ readonly data: { readonly uuid: string } }>("fcWidget.user.getUUID()");
  const claims = { freshchat_uuid: browserId.uuid, reference_id: "signed-1", first_name: "Sina" };
  return run(`fcWidget.authenticate("${identities.sign(claims, seconds)}")`);
};

test("the account hides the messenger until the site has signed the visitor in; a message after the token's end waits for the next token", async () => {
  await run(
    `window.got = [], ${EVENTS.map((name) => `fcWidget.on("${name}", ({ data }) => got.push(data?.frameState ?? data?.firstName ?? "${name}"))`).join()}, fcWidget.init({ open: true }), undefined`,
  );
  await waitUntil(() => run<boolean>("got.includes('not_authenticated')"));
  expect(await page.locator("#fc_frame").isVisible()).toBe(false);
  expect(await run("fcWidget.user.setProperties({ plan: 'Gold' }).catch(({ status }) => status)")).toBe(403);
  expect(await run("fcWidget.authenticate('a.b.c').catch(({ status }) => status)")).toBe(401);
  expect(await signIn(4)).toMatchObject({ status: 200, data: { externalId: "signed-1", firstName: "Sina" } });
  const panel = panelOf(page);
  await write(panel, "before the end");
  await panel.getByText("Your sign-in has ended").first().waitFor();
  await fieldOf(panel).fill("after the end");
  await fieldOf(panel).press("Enter");
  const waiting = panel.getByText("Waiting: it is sent when this page has signed you in");
  await waiting.waitFor();
  await signIn(600);
  await waiting.waitFor({ state: "detached" });
  const writer = await writerOf(parleyClient({ url: instance.service, token: instance.token }), "after the end");
  expect(writer).toMatchObject({ reference_id: "signed-1", first_name: "Sina", login_status: true });
  await run("fcWidget.user.clear()");
  await page.locator("#fc_frame").waitFor({ state: "hidden" });
  const signed = ["Sina", "authenticated"];
  expect(await run("got")).toEqual([
    ...["initialized", "loaded", "not_authenticated", "user:created", ...signed],
    ...["not_authenticated", ...signed, "not_authenticated"],
  ]);
});
