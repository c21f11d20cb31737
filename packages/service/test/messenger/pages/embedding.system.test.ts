import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { AccountDocument } from "@parley/contract";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../../../../framework/test/support/browser.ts";
import { messengerHarness, type MessengerHarness } from "../messenger-harness.ts";

/** Which pages a browser lets embed the page in the frame, with and without a list of origins. */

let s: MessengerHarness;
let browser: Browser;
let site: Server;
let [folder, siteUrl, fileUrl] = ["", "", ""];
beforeAll(async () => {
  s = await messengerHarness();
  browser = await launchBrowser();
  const html = `<iframe src="${s.url}/messenger?account=acme"></iframe>`;
  site = createServer((_, reply) => reply.setHeader("content-type", "text/html").end(html)).listen(0, "127.0.0.1");
  await new Promise((resolve) => site.once("listening", resolve));
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), "parley-site-"));
  await writeFile(join(folder, "page.html"), html);
  fileUrl = pathToFileURL(join(folder, "page.html")).href;
});
afterAll(async () => {
  await browser.close();
  site.close();
  await rm(folder, { recursive: true, force: true });
  await s.close();
});

/** -> the title of the page in the frame; empty for a page that the browser refused to show */
const titleInFrame = async (page: Page, url: string): Promise<string> => {
  await page.goto(url, { waitUntil: "load" });
  return page.frames()[1]?.title() ?? "";
};
const setOrigins = async (origins: string[]) => {
  const document: AccountDocument = { name: "acme", messenger: { origins } };
  expect((await s.adminRequest("PUT", "/admin/accounts/acme", document)).code).toBe(200);
};

test("without a list of origins a site and a file embed it; with a list only the sites that it names", async () => {
  const page = await browser.newPage();
  const titles = async () => [await titleInFrame(page, siteUrl), await titleInFrame(page, fileUrl)];
  expect(await titles()).toEqual(["Messages", "Messages"]);
  await setOrigins([siteUrl]);
  expect(await titles()).toEqual(["Messages", ""]);
  await setOrigins(["https://shop.example"]);
  expect(await titles()).toEqual(["", ""]);
  await page.close();
});
