import { expect, test } from "@jest/globals";
import { consoleHarness } from "../support/harness.ts";
import { fileFixture } from "../../support/file-fixture.ts";

/** The way from the start to the console. */

const s = fileFixture(consoleHarness);

test("the JSON line of the start has console and signIn, which share an origin with the address of a conversation", async () => {
  const { id } = await s.beginConversation("Sam Origin", "Hello");
  const { url } = await s.client.conversations.getConversation({ params: { conversation_id: id } });
  expect(new Set([s.console, s.signIn, url].map((address) => new URL(address).origin))).toEqual(new Set([s.origin]));
  expect(new URL(s.console).pathname).toBe("/console");
});

test("the address of a conversation leads a signed-out agent to the sign-in, and then to the conversation", async () => {
  const { id } = await s.beginConversation("Ann Address", "Where is my parcel?");
  const { url } = await s.client.conversations.getConversation({ params: { conversation_id: id } });
  const context = await s.browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForURL("**/sign-in?next=*");
  expect(new URL(page.url()).searchParams.get("next")).toBe(`/console/conversations/${id}`);
  await context.close();

  const agent = await s.visit();
  await agent.open(new URL(url).pathname);
  await agent.page.waitForURL(`**/console/conversations/${id}`);
  await agent.page.getByText("Where is my parcel?").first().waitFor();
  expect(agent.errors).toEqual([]);
  await agent.close();
});

test("pages of the console admit no script of another origin, no inline script and no eval, and no page may frame them", async () => {
  const reply = await fetch(`${s.origin}/console/inbox`);
  const policy = reply.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
  const html = await reply.text();
  expect(html).not.toMatch(/<script(?![^>]* src="\/console\/)/);
  expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
});

test.each(["/console/api/unknown", "/console/assets/unknown.js"])("%s is not found and is not a page", async (path) => {
  const reply = await fetch(s.origin + path);
  expect([reply.status, reply.headers.get("content-type")]).toEqual([404, expect.stringContaining("json")]);
});

test("scripts are sent compressed, and browsers keep them", async () => {
  const html = await (await fetch(`${s.origin}/console`)).text();
  const [, script = ""] = /src="(\/console\/assets\/[^"]+\.js)"/.exec(html) ?? [];
  const reply = await fetch(s.origin + script, { headers: { "accept-encoding": "br" } });
  expect(reply.headers.get("content-encoding")).toBe("br");
  expect(reply.headers.get("cache-control")).toMatch(/max-age=31536000.*immutable/);
});
