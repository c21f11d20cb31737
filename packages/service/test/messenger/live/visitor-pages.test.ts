import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { SESSION_TOKEN, VISITOR_PAGE_LIMITS, type AccountDocument, type CustomerPresence } from "@parley/contract";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { consolePages, type ConsolePage } from "../../events/presence/console-stream.ts";
import { messengerHarness, type MessengerHarness } from "../messenger-harness.ts";
import { writingVisitor, type WritingVisitor } from "./live-fixture.ts";

/** Agents see the page and the language of a visitor if the account lets them, and otherwise nothing is stored. */

let time = Date.parse("2026-03-01T12:00:00.000Z");
const listeners = new Set<() => void>();
let s: MessengerHarness;
beforeAll(async () => {
  s = await messengerHarness({
    ports: {
      now: () => new Date(time),
      onJump: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  });
});
afterAll(() => s.close());

const allow = async (is_page_shown: boolean) => {
  const document: AccountDocument = { name: "acme", messenger: { privacy: { is_page_shown } } };
  expect((await s.adminRequest("PUT", "/admin/accounts/acme", document)).code).toBe(200);
};
beforeEach(() => allow(true));
const { open, closeAll } = consolePages();
afterEach(() => closeAll());

const PAGE = { url: "https://shop.example/lamps/7", title: "Lamp 7", language: "de-AT" };
const stored = (conversationId: string) =>
  s.sql<{ url: string | null; title: string | null; language: string | null }>(
    "select url, title, language from visitor_pages where conversation_id = $1",
    [conversationId],
  );
const report = async (visitor: WritingVisitor, page: object) =>
  expect((await visitor.activity({ page })).code).toBe(204);
const openAt = async ({ conversationId }: WritingVisitor): Promise<ConsolePage> => {
  const page = await open(s.url, s.maya.session);
  await page.report(conversationId, "viewing");
  return page;
};
const seenBy = (page: ConsolePage, { conversationId }: WritingVisitor): CustomerPresence["page"] => {
  const found = page.items.findLast(
    (item) => item.event === "customer_presence" && item.data.conversation_id === conversationId,
  );
  return found?.event === "customer_presence" ? found.data.page : undefined;
};
const untilSeen = (page: ConsolePage, visitor: WritingVisitor, expected: object) =>
  page.until(() => JSON.stringify({ ...seenBy(page, visitor), ...expected }) === JSON.stringify(seenBy(page, visitor)));

test("an agent who has the conversation open sees each new page, and an agent who opens it later the last one", async () => {
  const visitor = await writingVisitor(s);
  const page = await openAt(visitor);
  await report(visitor, PAGE);
  await untilSeen(page, visitor, { ...PAGE, seen_time: new Date(time).toISOString() });
  await report(visitor, { url: "https://shop.example/cart" });
  await untilSeen(page, visitor, { url: "https://shop.example/cart" });
  expect(seenBy(page, visitor)).toEqual({ url: "https://shop.example/cart", seen_time: expect.any(String) });
  await page.close();
  const later = await openAt(visitor);
  await untilSeen(later, visitor, { url: "https://shop.example/cart" });
});

describe("what is stored", () => {
  test.each([
    [
      "a query, a fragment and credentials are left out",
      { url: "https://me:secret@shop.example/a?token=1#b" },
      "https://shop.example/a",
    ],
    ["a path keeps its characters", { url: "http://shop.example/@me/ä" }, "http://shop.example/@me/%C3%A4"],
    [
      "an address that is too long once it is encoded is left out",
      { url: `https://shop.example/${"ä".repeat(1_000)}` },
      null,
    ],
    ["an address without a host is left out", { url: "https://" }, null],
  ])("%s", async (_, page, url) => {
    const visitor = await writingVisitor(s);
    await report(visitor, { ...page, title: "Lamps" });
    expect(await stored(visitor.conversationId)).toEqual([{ url, title: "Lamps", language: null }]);
  });

  test.each([
    ["javascript:alert(1)", { url: "javascript:alert(1)" }],
    ["data:", { url: "data:text/html,x" }],
    ["file:", { url: "file:///etc/passwd" }],
    ["an address that is too long", { url: `https://a.example/${"a".repeat(VISITOR_PAGE_LIMITS.address)}` }],
    ["a title that is too long", { title: "t".repeat(VISITOR_PAGE_LIMITS.title + 1) }],
    ["NUL in the title", { title: "a\0b" }],
    ["a language that is not a name", { language: "<b>" }],
  ])("nothing for %s, which is refused", async (_, page) => {
    const visitor = await writingVisitor(s);
    expect((await visitor.activity({ page })).code).toBe(400);
    expect(await stored(visitor.conversationId)).toEqual([]);
  });

  test("nothing while the account does not let agents see pages, and then agents see no page that is stored", async () => {
    const [known, visitor] = [await writingVisitor(s), await writingVisitor(s)];
    await report(known, PAGE);
    await allow(false);
    await report(visitor, PAGE);
    expect(await stored(visitor.conversationId)).toEqual([]);
    const page = await openAt(known);
    await known.activity({ read_message_id: known.firstMessageId });
    await page.until(() => page.items.some(({ event }) => event === "customer_presence"));
    expect(seenBy(page, known)).toBeUndefined();
  });

  test("nothing for a page of which nothing can be shown", async () => {
    const visitor = await writingVisitor(s);
    for (const page of [{}, { url: "https://" }, { title: "" }]) await report(visitor, page);
    expect(await stored(visitor.conversationId)).toEqual([]);
  });

  test("nothing of a visitor who is blocked, nor in a conversation of another visitor", async () => {
    const [visitor, other] = [await writingVisitor(s), await writingVisitor(s)];
    expect((await visitor.activity({ page: PAGE }, other.conversationId)).code).toBe(404);
    await s.call(s.maya, "POST", `/customers/${visitor.userId}/block`);
    s.expireCaches();
    await report(visitor, PAGE);
    expect([await stored(visitor.conversationId), await stored(other.conversationId)]).toEqual([[], []]);
  });
});

test("the export of the customer contains the page, and the deletion of the customer deletes it", async () => {
  const visitor = await writingVisitor(s);
  await report(visitor, PAGE);
  const reply = await fetch(`${s.url}/console/api/customers/${visitor.userId}/export`, {
    headers: { cookie: s.noah.session.cookie, [SESSION_TOKEN]: s.noah.session.token },
  });
  const lines = (await reply.text())
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { kind: string; data: object });
  expect(lines.find(({ kind }) => kind === "page")?.data).toEqual({
    ...PAGE,
    conversation_id: visitor.conversationId,
    seen_time: new Date(time).toISOString(),
  });
  await s.client.users.deleteUser({ params: { user_id: visitor.userId } });
  expect(await stored(visitor.conversationId)).toEqual([]);
});

test("the pages of an account that does not let agents see them any more are removed, and those of others are not", async () => {
  const visitor = await writingVisitor(s);
  await report(visitor, PAGE);
  await s.sql(
    `insert into visitor_pages (conversation_id, account_id, user_id, seen_time)
     select gen_random_uuid(), id, gen_random_uuid(), now() from accounts where name = 'solo'`,
  );
  const { code } = await s.adminRequest("PUT", "/admin/accounts/solo", {
    name: "solo",
    messenger: { privacy: { is_page_shown: true } },
  });
  expect(code).toBe(200);
  const pagesOf = (name: string) =>
    s.sql("select from visitor_pages p join accounts o on o.id = p.account_id where o.name = $1", [name]);
  await allow(false);
  time += 7 * 60 * 60 * 1_000;
  for (const listener of listeners) listener();
  await waitUntil(async () => (await pagesOf("acme")).length === 0);
  expect(await pagesOf("solo")).toHaveLength(1);
});
