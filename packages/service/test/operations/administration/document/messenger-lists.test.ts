import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { MESSENGER_LIMITS } from "@parley/contract";
import { adminHarness, type AdminHarness } from "../endpoints/admin-harness.ts";

/** The aliases, the origins and the look of the messenger in an account document. */

let w: AdminHarness;
beforeAll(async () => {
  w = await adminHarness();
  await w.applyOrThrow({ name: "lamps", messenger: { aliases: ["lamps-token"], origins: ["https://lamps.example"] } });
});
afterAll(() => w.close());

const apply = (name: string, messenger: object, query = "") => w.applyDocument({ name, messenger }, query);
const stored = async (name: string) => (await w.exportDocument(name)).messenger;
const FOREIGN = "messenger.aliases has lamps-token, which is an alias of another account";

describe("PUT /admin/accounts/{account} 200: lists of the messenger", () => {
  test("of a new account are empty", async () => {
    await w.applyOrThrow({ name: "plain" });
    expect(await stored("plain")).toEqual({ aliases: [], origins: [], look: {}, privacy: {} });
  });

  test("are stored in order and without repetitions, each list by itself", async () => {
    await apply("shop", { aliases: ["b", "11/12", "b"], origins: ["https://shop.example"] });
    const changed = await apply("shop", { origins: ["http://[::1]:3000", "https://*.shop.example:8443"] });
    expect(changed.body.changes).toEqual([
      { change: "update", section: "account", name: "shop", members: ["messenger"] },
    ]);
    expect(await stored("shop")).toEqual({
      aliases: ["11/12", "b"],
      origins: ["http://[::1]:3000", "https://*.shop.example:8443"],
      look: {},
      privacy: {},
    });
    expect((await apply("shop", { aliases: ["b", "11/12"] })).body.changes).toEqual([]);
  });

  test("an alias that an account gives up can be taken by another account", async () => {
    await apply("first", { aliases: ["moving", "staying"] });
    await apply("first", { aliases: ["staying"] });
    expect((await apply("second", { aliases: ["moving"] })).code).toBe(200);
    expect([(await stored("first"))?.aliases, (await stored("second"))?.aliases]).toEqual([["staying"], ["moving"]]);
  });
});

describe("PUT /admin/accounts/{account} 200: the look of the messenger", () => {
  const LOOK = { color: "#14532d", texts: { en: { title: "Ask us" } } };

  test("is stored as a whole, and a document without it keeps it", async () => {
    await apply("look", { look: LOOK });
    await apply("look", { origins: ["https://look.example"] });
    expect((await stored("look"))?.look).toEqual(LOOK);
    expect((await apply("look", { look: LOOK })).body.changes).toEqual([]);
    await apply("look", { look: { position: "left" } });
    expect((await stored("look"))?.look).toEqual({ position: "left" });
  });
});

describe("PUT /admin/accounts/{account} 400 INVALID_VALUE: the look of the messenger", () => {
  const many = Object.fromEntries(
    Array.from({ length: MESSENGER_LIMITS.look_locales + 1 }, (_, index) => [
      `en-${String(index).padStart(3, "0")}`,
      {},
    ]),
  );
  const title = (length: number) => ({ texts: { en: { title: "a".repeat(length) } } });
  test.each([
    ["a colour by its name", { color: "red" }, "messenger.look.color must match"],
    ["a colour that is not opaque", { dark_color: "#14532d80" }, "messenger.look.dark_color must match"],
    ["a rule in a colour", { text_color: "#ffffff;}" }, "messenger.look.text_color must match"],
    ["a picture that is a script", { picture_url: "javascript:alert(1)" }, "messenger.look.picture_url must match"],
    ["a picture in the address", { picture_url: "data:image/png;base64,AA" }, "messenger.look.picture_url must match"],
    ["a position in the middle", { position: "middle" }, "messenger.look.position must"],
    ["a negative distance", { bottom_px: -1 }, "messenger.look.bottom_px must"],
    ["a distance that is too large", { side_px: MESSENGER_LIMITS.look_distance_px + 1 }, "messenger.look.side_px must"],
    ["a distance with a fraction", { side_px: 1.5 }, "messenger.look.side_px must"],
    ["a size that is not known", { button_size: "tiny" }, "messenger.look.button_size must"],
    ["a blank text", { texts: { en: { help: " \u200b" } } }, "messenger.look.texts.en.help must not be blank"],
    ["a long text", title(MESSENGER_LIMITS.look_title_characters + 1), "messenger.look.texts.en.title must"],
    ["a language without a name", { texts: { "": {} } }, "messenger.look.texts"],
    ["a language in another form", { texts: { EN_us: { title: "Hi" } } }, "messenger.look.texts"],
    ["too many languages", { texts: many }, "messenger.look.texts must"],
  ])("%s", async (_, look, message) => {
    const reply = await apply("refused", { look });
    expect([reply.code, reply.body.status]).toEqual([400, "INVALID_VALUE"]);
    expect(reply.body.message).toContain(message);
  });
});

describe("PUT /admin/accounts/{account} 400 INVALID_VALUE: lists of the messenger", () => {
  const many = (count: number) => Array.from({ length: count + 1 }, (_, index) => String(index));
  test.each([
    ["an origin with a path", { origins: ["https://shop.example/cart"] }, "messenger.origins[0] must match"],
    ["an origin without a scheme", { origins: ["shop.example"] }, "messenger.origins[0] must match"],
    ["an origin of any host", { origins: ["https://a.example", "https://*"] }, "messenger.origins[1] must match"],
    ["an origin with a directive", { origins: ["https://a.example; script-src *"] }, "messenger.origins[0] must match"],
    ["an alias with a space", { aliases: ["a b"] }, "messenger.aliases[0] must match"],
    ["too many aliases", { aliases: many(MESSENGER_LIMITS.aliases) }, "messenger.aliases must"],
    ["an alias of another account", { aliases: ["mine", "lamps-token"] }, FOREIGN],
  ])("%s", async (_, messenger, message) => {
    for (const query of ["", "?dry_run=true"]) {
      const reply = await apply("refused", messenger, query);
      expect([reply.code, reply.body.status]).toEqual([400, "INVALID_VALUE"]);
      expect(reply.body.message).toContain(message);
    }
    expect((await w.adminRequest("GET", "/admin/accounts/refused")).code).toBe(404);
  });

  test("of two accounts that take an alias at the same time, one gets it", async () => {
    const replies = await Promise.all(["one", "two"].map((name) => apply(name, { aliases: ["wanted"] })));
    expect(replies.map(({ code }) => code).toSorted()).toEqual([200, 400]);
  });
});
