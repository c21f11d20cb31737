import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { adminHarness, type AdminHarness } from "../endpoints/admin-harness.ts";
import { completeDocument, COMPLETE_DOCUMENT } from "./complete-document-fixture.ts";

let w: AdminHarness;
let before: unknown;
beforeAll(async () => {
  w = await adminHarness();
  await w.applyOrThrow(COMPLETE_DOCUMENT);
  before = await w.exportDocument("lamps");
});
afterAll(() => w.close());

const ID = "01890000-0000-7000-8000-000000000001";
const template = (members: object) => [{ ...COMPLETE_DOCUMENT.templates[0], ...members }];
const button = (url: string) => template({ buttons: [{ subType: "url", label: "See", url }] });
const hours = (members: object) => [{ timezone: "Europe/Berlin", week: {}, ...members }];
const part = (value: object) => ({ message_parts: [value] });

/** Title, the invalid members, and the beginning of the error message. */
const wrong: [string, object, string][] = [
  ["no name", { name: undefined }, "name is mandatory"],
  ["a name with capitals", { name: "Lamps" }, "name must match"],
  ["a name with a dot", { name: "la.mps" }, "name must match"],
  ["an unknown plan", { plan_type: "Gold" }, "plan_type must be one of Free, Growth, Pro, Enterprise"],
  ["an unknown datacenter", { datacenter: "MOON" }, "datacenter must be one of"],
  ["a bundle without a type", { bundle: { id: 3 } }, "bundle.type is mandatory"],
  ["a bundle that is none", { bundle: { id: 0, type: "SUITE_SALES" } }, "bundle must have the id 0"],
  ["a stand-alone bundle", { bundle: { id: 9, type: "STANDALONE" } }, "bundle must have the id 0"],
  ["a locale that is none", { primary_locale: "english!" }, "primary_locale must match"],
  [
    "a locale that a channel lacks",
    { primary_locale: "fr", channels: undefined },
    "primary_locale can't be fr: the channel",
  ],
  ["a negative number of calls", { calls_per_hour: -1 }, "calls_per_hour must be at least 0"],
  ["calls as a text", { calls_per_hour: "many" }, "calls_per_hour must be an integer"],
  ["channels that are not a list", { channels: {} }, "channels must be an array"],
  ["a channel without a name", { channels: [{ tags: [] }] }, "channels[0].name is mandatory"],
  ["a channel with an empty name", { channels: [{ name: "" }] }, "channels[0].name must not be empty"],
  ["a channel with a blank name", { channels: [{ name: " \u200b" }] }, "channels[0].name must not be blank"],
  [
    "a channel with a name too long",
    { channels: [{ name: "x".repeat(256) }] },
    "channels[0].name must have at most 255",
  ],
  ["a channel's id that is none", { channels: [{ id: "1", name: "Inbox" }] }, "channels[0].id must match"],
  ["a channel's other id", { channels: [{ id: ID, name: "Inbox" }] }, "channels[0].id is not that of Inbox, which is"],
  [
    "two channels of a name",
    { channels: [{ name: "A" }, { name: "A" }] },
    "channels[1] names A a second time: it is named by channels[0]",
  ],
  [
    "a language that is none",
    { channels: [{ name: "A", locales: { "x!": { name: "B" } } }] },
    "channels[0].locales.x! is not a locale",
  ],
  [
    "the primary language twice",
    { channels: [{ name: "A", locales: { en: { name: "B" } } }] },
    "channels[0].locales.en is the account's primary language",
  ],
  [
    "a language without a name",
    { channels: [{ name: "A", locales: { de: {} } }] },
    "channels[0].locales.de.name is mandatory",
  ],
  [
    "a welcome of two keys",
    { channels: [{ name: "A", welcome_message: part({ text: { content: "a" }, image: { url: "b" } }) }] },
    "channels[0].welcome_message.message_parts[0] must have at most 1",
  ],
  [
    "a welcome with a quick reply",
    { channels: [{ name: "A", welcome_message: part({ quick_reply_button: { label: "a" } }) }] },
    "channels[0].welcome_message.message_parts[0] may not be quick_reply_button",
  ],
  [
    "a welcome with a file that is named by its hash",
    { channels: [{ name: "A", welcome_message: part({ file: { file_hash: ID } }) }] },
    "channels[0].welcome_message.message_parts[0].file.file_hash may not be given: give the url",
  ],
  ["a group without a name", { groups: [{}] }, "groups[0].name is mandatory"],
  [
    "two groups of a name",
    { groups: [{ name: "A" }, { name: "B" }, { name: "A" }] },
    "groups[2] names A a second time",
  ],
  [
    "two groups of an id",
    {
      groups: [
        { id: ID, name: "A" },
        { id: ID, name: "B" },
      ],
    },
    "groups[1] names",
  ],
  ["unknown routing", { groups: [{ name: "A", routing_type: "LUCK" }] }, "groups[0].routing_type must be one of"],
  [
    "routing that does not go together",
    { groups: [{ name: "A", routing_type: "OCR", routing_logic: "LOAD" }] },
    "groups[0].routing_logic must be OCR",
  ],
  [
    "two groups of an organisation's id",
    {
      groups: [
        { name: "A", org_id: "7" },
        { name: "B", org_id: "7" },
      ],
    },
    "groups[0].org_id is that of the group B",
  ],
  ["a built-in role", { roles: [{ name: "Admin" }] }, "roles[0].name is the built-in role Admin"],
  ["two roles of a name", { roles: [{ name: "A" }, { name: "A" }] }, "roles[1] names A a second time"],
  [
    "an unknown availability",
    { statuses: [{ name: "A", availability_status: "MAYBE" }] },
    "statuses[0].availability_status must be one of",
  ],
  [
    "no status that is available",
    { statuses: [{ name: "Here", availability_status: "UNAVAILABLE" }] },
    "statuses must hold at least one",
  ],
  ["a field without cf_", { fields: [{ name: "model" }] }, "fields[0].name must match"],
  ["a field of an unknown type", { fields: [{ name: "cf_a", type: "COLOUR" }] }, "fields[0].type must be one of"],
  [
    "a field that changes its type",
    { fields: [{ name: "cf_serial", type: "NUMBER" }] },
    "fields[0].type can't be changed: it is TEXT",
  ],
  [
    "a dropdown without choices",
    { fields: [{ name: "cf_a", type: "DROPDOWN" }] },
    "fields[0].choices is mandatory for DROPDOWN",
  ],
  [
    "a text with choices",
    { fields: [{ name: "cf_a", choices: ["x"] }] },
    "fields[0].choices may not be given for TEXT",
  ],
  [
    "a choice twice",
    { fields: [{ name: "cf_a", type: "DROPDOWN", choices: ["x", "y", { value: "x" }] }] },
    "fields[0].choices[2] names x a second time",
  ],
  [
    "a choice that is a number",
    { fields: [{ name: "cf_a", type: "DROPDOWN", choices: [1] }] },
    "fields[0].choices[0] must be",
  ],
  [
    "another priority",
    { fields: [{ name: "priority", choices: ["Now", "Later"] }] },
    "fields[0].choices of priority must be",
  ],
  ["a template without a body", { templates: template({ body: undefined }) }, "templates[0].body is mandatory"],
  ["a template without a name", { templates: template({ name: "" }) }, "templates[0].name must not be empty"],
  ["a blank text of a template", { templates: template({ body: { text: " " } }) }, "templates[0].body.text must"],
  [
    "an unknown status of a template",
    { templates: template({ status: "perhaps" }) },
    "templates[0].status must be one of",
  ],
  [
    "placeholders with a gap",
    { templates: template({ body: { text: "{{1}} {{3}}" } }) },
    "templates[0].body.text must number its placeholders",
  ],
  [
    "placeholders from nought",
    { templates: template({ body: { text: "{{0}}" } }) },
    "templates[0].body.text must number",
  ],
  ["a button that is a script", { templates: button("javascript:{{1}}") }, "templates[0].buttons[0].url must be an"],
  [
    "a placeholder with a name",
    { templates: template({ header: { type: "text", text: "{{who}}" } }) },
    "templates[0].header.text must number",
  ],
  [
    "a text header without a text",
    { templates: template({ header: { type: "text" } }) },
    "templates[0].header.text is mandatory",
  ],
  [
    "an image header with a text",
    { templates: template({ header: { type: "image", text: "x" } }) },
    "templates[0].header.text may not be given",
  ],
  ["a template twice", { templates: [...template({}), ...template({})] }, "templates[1] names"],
  [
    "hours of no group",
    { business_hours: hours({ group: "Nobody" }) },
    "business_hours[0].group names no group of the account: there is no Nobody",
  ],
  [
    "hours in no zone",
    { business_hours: hours({ timezone: "Mars/Base" }) },
    "business_hours[0].timezone must be a time zone",
  ],
  [
    "hours of no clock",
    { business_hours: hours({ week: { monday: [{ from: "9", to: "17:00" }] } }) },
    "business_hours[0].week.monday[0].from must match",
  ],
  [
    "hours that end first",
    { business_hours: hours({ week: { monday: [{ from: "18:00", to: "02:00" }] } }) },
    "business_hours[0].week.monday[0].to must be later",
  ],
  [
    "hours that overlap",
    {
      business_hours: hours({
        week: {
          friday: [
            { from: "08:00", to: "12:00" },
            { from: "11:00", to: "13:00" },
          ],
        },
      }),
    },
    "business_hours[0].week.friday[1].from must not be earlier",
  ],
  [
    "a holiday that there is not",
    { business_hours: hours({ holidays: ["2026-02-30"] }) },
    "business_hours[0].holidays[0] must be a day",
  ],
  ["hours twice", { business_hours: [...hours({}), ...hours({})] }, "business_hours[1] names"],
  ["a prune of no list", { prune: ["agents"] }, "prune[0] must be one of"],
];

describe("PUT /admin/accounts/{account} refuses an invalid document, names the location, and changes nothing", () => {
  test.each(wrong)("%s", async (_, members, begins) => {
    // Valid members of the same document must not be applied either.
    const document = { plan_type: "Free", ...completeDocument(), ...members };
    const { code, body } = await w.adminRequest("PUT", "/admin/accounts/lamps", {
      ...document,
      calls_per_hour: 1,
      ...members,
    });
    expect({ code, message: body.message }).toEqual({ code: 400, message: expect.stringContaining(begins) });
    expect(body.message?.startsWith(begins)).toBe(true);
    expect(["INVALID_VALUE", "MISSING_PARAMETER"]).toContain(body.status);
    expect(await w.exportDocument("lamps")).toEqual(before);
  });

  test("also for a new account", async () => {
    expect(
      (await w.applyDocument({ name: "fresh", groups: [{ name: "A" }], business_hours: hours({ group: "B" }) })).code,
    ).toBe(400);
    expect((await w.adminRequest("GET", "/admin/accounts/fresh")).code).toBe(404);
  });
  test("a document of another account than the path", async () => {
    const { code, body } = await w.adminRequest("PUT", "/admin/accounts/acme", { name: "lamps" });
    expect([code, body.message]).toEqual([400, "name must be acme, as in the address"]);
  });
  test("a new account in which no agent could be available", async () => {
    const { code, body } = await w.applyDocument({ name: "fresh", statuses: [] });
    expect([code, body.message]).toEqual([400, expect.stringMatching(/^statuses must hold at least one/)]);
  });
  test("fields of a stand-alone account", async () => {
    const { code, body } = await w.applyDocument({ name: "solo", fields: [{ name: "cf_a" }] });
    expect([code, body.message]).toEqual([400, expect.stringMatching(/^fields may not be given/)]);
  });
  test("a field with the name of another field", async () => {
    const id = (await w.exportDocument("lamps")).fields?.find(({ name }) => name === "cf_serial")?.id;
    const { body } = await w.applyDocument({ name: "lamps", fields: [{ id, name: "cf_number" }] });
    expect(body.message).toBe("fields[0].name can't be changed: it is cf_serial");
  });
  test("a new name that another object has", async () => {
    const id = (await w.exportDocument("lamps")).groups?.find(({ name }) => name === "Sales")?.id;
    const { body } = await w.applyDocument({ name: "lamps", groups: [{ id, name: "Repairs" }] });
    expect(body.message).toBe("groups[0] names Repairs a second time: it is named by the account already");
  });
  test.each([
    '{"name":"lamps","__proto__":{"plan_type":"Free"}}',
    '{"name":"lamps","constructor":{"prune":["channels"]}}',
    '{"name":"lamps","channels":[{"name":"Inbox","locales":{"__proto__":{"name":"x"}}}]}',
  ])("a reserved name: %s", async (text) => {
    const { code, body } = await w.adminRequest<{ status: string; message: string }>(
      "PUT",
      "/admin/accounts/lamps",
      text,
    );
    expect([code, body.status, body.message]).toEqual([400, "INVALID_VALUE", expect.stringContaining("is reserved")]);
    expect(await w.exportDocument("lamps")).toEqual(before);
  });
});

test("unknown members and nulls are ignored, as in the API", async () => {
  const document = completeDocument({ colour: "red", plan_type: null });
  expect(await w.applyOrThrow(document)).toMatchObject({ changes: [] });
});
