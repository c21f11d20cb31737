import { beforeEach, expect, test } from "@jest/globals";
import { loaderFixture, type SitePage } from "./loader-fixture.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

/** The number of unread messages in the title of the site's page. */

let site: SitePage;
const s = fileFixture(loaderFixture);
beforeEach(async () => {
  await site?.page.context().close();
  site = await s.visit();
});

/** A tab that is not shown. Browsers without a window show each of their pages. */
const setHidden = (isHidden: boolean) =>
  site.run(
    `Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true }), document.dispatchEvent(new Event("visibilitychange"))`,
  );
const setUnread = async (count: number): Promise<void> => {
  await site.inPanel(`notify({ event: "unreadCount:notify", data: { count: ${count} } })`);
  await site.page.waitForFunction((wanted) => (globalThis as { unread?: number }).unread === wanted, count);
};
const init = (config: object = {}) =>
  site.run(
    `fcWidget.on("unreadCount:notify", ({ count }) => { window.unread = count; }), fcWidget.init(${JSON.stringify({ config: { eagerLoad: true, ...config } })})`,
  );
const title = () => site.page.title();

test("a page in the background has the number of unread messages in its title, and its own title once they are read or it is shown", async () => {
  await init();
  await setUnread(1);
  expect(await title()).toBe("A site");
  await setHidden(true);
  expect(await title()).toBe("(1) A site");
  await setUnread(12);
  expect(await title()).toBe("(12) A site");
  await setHidden(false);
  expect(await title()).toBe("A site");
  await setHidden(true);
  await setUnread(0);
  expect(await title()).toBe("A site");
});

test("a title that the page sets meanwhile is kept, and a page without a title gets none", async () => {
  await init();
  await setHidden(true);
  await setUnread(1);
  await site.run("document.title = 'Cart (1)'");
  await setUnread(2);
  expect(await title()).toBe("(2) Cart (1)");
  await site.run("document.title = 'Checkout'");
  await setHidden(false);
  expect(await title()).toBe("Checkout");
  await site.run("document.title = ''");
  await setHidden(true);
  expect(await title()).toBe("(2)");
  await setUnread(3);
  expect(await title()).toBe("(3)");
  await setUnread(0);
  expect(await title()).toBe("");
});

test("destroy restores the title, and a page that doesn't want it keeps its title", async () => {
  await init();
  await setHidden(true);
  await setUnread(4);
  await site.run("fcWidget.destroy()");
  expect(await title()).toBe("A site");
  await init({ unreadInTitle: false });
  await setUnread(5);
  expect(await title()).toBe("A site");
  await site.run("fcWidget.setConfig({ unreadInTitle: true })");
  expect(await title()).toBe("(5) A site");
});
