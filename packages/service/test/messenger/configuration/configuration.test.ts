import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { AccountDocument, MessengerConfiguration } from "@parley/contract";
import { outcome } from "../../console/console-harness.ts";
import { untilProcessed } from "../../console/reporting/measures/analytics-tables.ts";
import { messengerHarness, type MessengerHarness } from "../messenger-harness.ts";

let time = Date.parse("2026-07-06T13:30:00.000Z");
let s: MessengerHarness;
const apply = async (name: string, document: Omit<AccountDocument, "name">) => {
  const { code, body } = await s.adminRequest("PUT", `/admin/accounts/${name}`, { name, ...document });
  if (code !== 200) throw new Error(JSON.stringify(body));
  s.expireCaches();
};
beforeAll(async () => {
  s = await messengerHarness({ ports: { now: () => new Date(time) } });
  await apply("solo", {
    channels: [
      { name: "Open", locales: { de: { name: "Offen" }, "de-AT": { name: "Servus" } } },
      { name: "Second" },
      { name: "Tagged", tags: ["gold", "silver"] },
      { name: "Members", public: false, tags: ["gold"] },
      { name: "Hidden", public: false },
      { name: "Off", enabled: false, tags: ["gold"] },
    ],
    prune: ["channels"],
  });
});
afterAll(() => s.close());

const get = (query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  s.request<MessengerConfiguration>(
    "GET",
    `/configuration?${new URLSearchParams({ account: "solo", ...query }).toString()}`,
    {
      headers,
    },
  );
const topicsFor = async (query: Record<string, string>) => (await get(query)).body.topics.map(({ name }) => name);

test("GET /messenger/api/configuration 200: the public topics in their order, the hours and the limits, readable by every site", async () => {
  const { code, body, headers } = await get();
  expect(code).toBe(200);
  expect(body).toMatchObject({ account: "solo", account_name: "Solo", is_open: true, file_bytes: 26_214_400 });
  expect(body.topics.map(({ name }) => name)).toEqual(["Open", "Second", "Tagged"]);
  expect(body).not.toHaveProperty("is_alias_known");
  expect([headers.get("access-control-allow-origin"), headers.get("cache-control")]).toEqual(["*", "no-cache"]);
});

test.each([
  [{ tags: "gold" }, ["Tagged", "Members"]],
  [{ tags: "silver, none" }, ["Tagged"]],
  [{ tags: "misspelt" }, ["Open", "Second", "Tagged"]],
  [{ tags: "" }, ["Open", "Second", "Tagged"]],
  [{ locale: "de" }, ["Offen", "Second", "Tagged"]],
  [{ locale: "de-AT" }, ["Servus", "Second", "Tagged"]],
  [{ locale: "de_CH" }, ["Offen", "Second", "Tagged"]],
  [{ locale: "fr" }, ["Open", "Second", "Tagged"]],
  [{ locale: "fr,de-CH,en" }, ["Offen", "Second", "Tagged"]],
  [{ locale: "en-GB,de" }, ["Open", "Second", "Tagged"]],
])("the topics for %j", async (query, names) => {
  expect(await topicsFor(query)).toEqual(names);
});

test("the locale is that of the texts", async () => {
  const locales = [];
  for (const locale of ["de-AT", "de-CH", "fr"]) locales.push((await get({ locale })).body.locale);
  expect(locales).toEqual(["de-AT", "de", "en"]);
});

test.each([
  ["de-AT", "Schließen"],
  ["DE_at", "Schließen"],
  ["pt-BR,fr,de", "Fermer"],
  ["pt", "Close"],
  ["", "Close"],
])("the button's texts for the locale %j", async (locale, close) => {
  expect((await get({ locale })).body.button.close).toBe(close);
});

test("outside of the business hours of the account it says when they begin", async () => {
  time = Date.parse("2026-07-06T22:00:00.000Z");
  s.expireCaches();
  expect((await get({ account: "acme" })).body).toMatchObject({ is_open: false, opens_at: "2026-07-07T13:00:00.000Z" });
  time = Date.parse("2026-07-06T13:30:00.000Z");
});

describe("the response time", () => {
  /** Begins a conversation that an agent answers after some minutes. */
  const answered = async (minutes: number): Promise<void> => {
    const { conversation_id } = await s.conversation("Rita");
    time += minutes * 60_000;
    await s.client.messages.createMessage({
      params: { conversation_id },
      body: { actor_type: "agent", actor_id: s.noah.id, message_parts: [{ text: { content: "Hello" } }] },
    });
  };
  /** What the configuration has once all answers are measured. */
  const minutes = async (): Promise<number | undefined> => {
    await untilProcessed(s.database);
    // The figure is kept for five minutes, and each call makes the caches a second older.
    for (let seconds = 0; seconds <= 300; seconds++) s.expireCaches();
    return (await get({ account: "acme" })).body.response_minutes;
  };

  test("is the median in minutes over the last 7 days, absent with fewer than 5 responses and after 7 days", async () => {
    for (const each of [3, 600, 12, 1]) await answered(each);
    expect(await minutes()).toBeUndefined();
    await answered(9);
    expect(await minutes()).toBe(9);
    time += 7 * 86_400_000;
    expect(await minutes()).toBeUndefined();
    expect((await get()).body).not.toHaveProperty("response_minutes");
  });
});

describe("the look of the account", () => {
  const TEXTS = {
    en: { title: "Ask us", help: "We know lamps." },
    de: { title: "Fragen Sie uns" },
    "de-AT": { title: "Servus" },
  };
  beforeAll(() =>
    apply("solo", {
      messenger: {
        look: {
          color: "#FFD400",
          dark_color: "#14532d",
          text_color: "#ffffff",
          side_px: 32,
          panel_size: "large",
          texts: TEXTS,
        },
      },
    }),
  );
  afterAll(() => apply("solo", { messenger: { look: {} } }));

  test("has text colours that are readable, and sizes", async () => {
    expect((await get()).body.look).toMatchObject({
      ...{ color: "#ffd400", text_color: "#000000", dark_color: "#14532d", dark_text_color: "#ffffff" },
      ...{ side: "32px", panel_width: "448px", panel_height: "800px" },
    });
  });

  test.each([
    ["de-AT", "Servus"],
    ["de_CH", "Fragen Sie uns"],
    ["fr", "Ask us"],
  ])("has the texts for %s, and those of the primary language for the others", async (locale, title) => {
    expect((await get({ locale })).body.look.texts).toEqual({ title, help: "We know lamps." });
  });

  test("is empty for an account without one", async () => {
    expect((await get({ account: "acme" })).body.look).toEqual({});
  });
});

describe("the account of a page", () => {
  test("an alias names it, and the reply says whether the account has the alias", async () => {
    await apply("solo", { messenger: { aliases: ["0a1b-token", "12/345"] } });
    for (const alias of ["0a1b-token", "12/345"]) {
      const { body } = await s.request<MessengerConfiguration>(
        "GET",
        `/configuration?alias=${encodeURIComponent(alias)}`,
      );
      expect(body).toMatchObject({ account: "solo", is_alias_known: true });
    }
    expect((await get({ alias: "other" })).body).toMatchObject({ account: "solo", is_alias_known: false });
  });

  test.each([
    ["an unknown alias", "alias=unknown"],
    ["an unknown name", "account=unknown"],
    ["NUL in the alias", "alias=%00"],
    ["no name in an installation of several accounts", ""],
  ])("GET /messenger/api/configuration 404 MESSENGER_NOT_FOUND for %s, readable by every site", async (_, query) => {
    const reply = await s.request("GET", `/configuration?${query}`);
    expect(outcome(reply)).toMatch(/^404 MESSENGER_NOT_FOUND$|^400 INVALID_VALUE$/);
    expect(reply.headers.get("access-control-allow-origin")).toBe("*");
  });

  test("POST /messenger/api/sessions 404 MESSENGER_NOT_FOUND for an unknown account", async () => {
    expect(outcome(await s.request("POST", "/sessions", { body: { account: "none" } }))).toBe(
      "404 MESSENGER_NOT_FOUND",
    );
  });

  test("POST /messenger/api/sessions/restore 404 MESSENGER_NOT_FOUND for an unknown account", async () => {
    const body = { account: "none", external_id: "a", restore_id: "b" };
    expect(outcome(await s.request("POST", "/sessions/restore", { body }))).toBe("404 MESSENGER_NOT_FOUND");
  });
});

describe("a list of origins", () => {
  const LISTED = ["https://shop.example", "https://*.wild.example", "http://localhost:3000"];
  beforeAll(() => apply("solo", { messenger: { origins: LISTED } }));
  const ofPage = async (origin: string | undefined, sent?: string) =>
    outcome(await get(origin === undefined ? {} : { origin }, sent === undefined ? {} : { origin: sent }));

  test.each([
    ["https://shop.example", "200"],
    ["https://SHOP.example:443", "200"],
    ["https://a.b.wild.example", "200"],
    ["http://localhost:3000", "200"],
    ["http://shop.example", "403 ORIGIN_NOT_ALLOWED"],
    ["https://shop.example:8443", "403 ORIGIN_NOT_ALLOWED"],
    ["https://wild.example", "403 ORIGIN_NOT_ALLOWED"],
    ["https://evilwild.example", "403 ORIGIN_NOT_ALLOWED"],
    ["https://evil.example/.wild.example", "403 ORIGIN_NOT_ALLOWED"],
    ["https://shop.example.evil.example", "403 ORIGIN_NOT_ALLOWED"],
    ["null", "403 ORIGIN_NOT_ALLOWED"],
    ["file://", "403 ORIGIN_NOT_ALLOWED"],
    [undefined, "403 ORIGIN_NOT_ALLOWED"],
  ])("for a page of %s: %s", async (origin, expected) => {
    expect(await ofPage(origin)).toBe(expected);
    if (origin !== undefined) expect(await ofPage(undefined, origin)).toBe(expected);
  });

  test("the header Origin, which browsers set, counts more than the reported origin", async () => {
    expect(await ofPage("https://shop.example", "https://evil.example")).toBe("403 ORIGIN_NOT_ALLOWED");
    // The panel's own requests have the origin of the service.
    expect(await ofPage("https://shop.example", s.url)).toBe("200");
  });

  test("the service's own origin, which the console has, needs no entry, and no other port of its host has it", async () => {
    expect(await ofPage(s.url)).toBe("200");
    expect(await ofPage(s.url, "https://evil.example")).toBe("403 ORIGIN_NOT_ALLOWED");
    expect(await ofPage(`${s.url}1`)).toBe("403 ORIGIN_NOT_ALLOWED");
    expect(outcome(await s.request("POST", "/sessions", { body: { account: "solo", origin: s.url } }))).toBe("201");
  });

  const account = { account: "solo", origin: "null" };
  test("GET /messenger/api/configuration 403 ORIGIN_NOT_ALLOWED: a file is refused with the reason", async () => {
    for (const origin of ["null", "file://"])
      expect((await get({ origin })).body).toMatchObject({
        status: "ORIGIN_NOT_ALLOWED",
        message: expect.stringContaining("without an origin, such as a file"),
      });
  });

  test("POST /messenger/api/sessions 403 ORIGIN_NOT_ALLOWED for a file", async () => {
    expect(outcome(await s.request("POST", "/sessions", { body: account }))).toBe("403 ORIGIN_NOT_ALLOWED");
  });

  test("POST /messenger/api/sessions/restore 403 ORIGIN_NOT_ALLOWED for a file", async () => {
    const body = { ...account, external_id: "a", restore_id: "b" };
    expect(outcome(await s.request("POST", "/sessions/restore", { body }))).toBe("403 ORIGIN_NOT_ALLOWED");
  });

  test("without a list every page is shown the messenger, also a file", async () => {
    await apply("solo", { messenger: { origins: [] } });
    expect([await ofPage("null"), await ofPage(undefined), await ofPage("https://any.example")]).toEqual(
      Array(3).fill("200"),
    );
  });
});
