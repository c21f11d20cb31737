import "../browser-globals.ts";
import { describe, expect, test } from "@jest/globals";
import {
  AccountDocument,
  BusinessHours,
  IdentityProvider,
  IdentityProviderSettings,
  NewAgent,
  NewReplyTemplate,
  NewSigningKey,
  NewWebhook,
  Template,
} from "@parley/contract";
import fc from "fast-check";
import Type, { type TObject } from "typebox";
import Value from "typebox/value";
import { agentForm } from "../../src/administration/agents/agent-values.ts";
import { fieldForm } from "../../src/administration/fields/field-form.ts";
import { groupForm } from "../../src/administration/groups/group-form.ts";
import { hoursForm } from "../../src/administration/business-hours/hours-form.ts";
import { keyForm } from "../../src/administration/messenger/key-form.ts";
import { outboundTemplateForm } from "../../src/administration/outbound-templates/outbound-form.ts";
import { providerForm } from "../../src/administration/identity-providers/provider-form.ts";
import { roleForm, statusForm } from "../../src/administration/roles/role-form.ts";
import { templateForm } from "../../src/templates/template-form.ts";
import { topicForm } from "../../src/administration/topics/topic-form.ts";
import { webhookForm } from "../../src/administration/webhooks/webhook-values.ts";
import type { MemberSchema } from "../../src/forms/form-schema.ts";
import { formProblemsOf, formValuesOf, recordOf, type SchemaForm } from "../../src/forms/schema-form.ts";

/** The forms of the administration: what the contract accepts is accepted, and what it refuses is refused at its field. */

type AnyForm = SchemaForm<object, Record<string, unknown>>;
interface FormCase {
  /** Of the record that the form sends. */
  readonly schema: TObject;
  readonly form: AnyForm;
  /** A record that the service accepts, with every member. */
  readonly record: object;
  /** Texts that the form refuses although the schema admits them, by member: rules that a schema can't express. */
  readonly stricter?: Readonly<Record<string, RegExp>>;
}
const formCase = <R extends object, V extends object>(
  schema: TObject,
  form: SchemaForm<R, V>,
  record: R,
  stricter: FormCase["stricter"] = {},
): FormCase => ({ schema, form: form as unknown as AnyForm, record, stricter });

const { channels, groups, fields, roles, statuses } = AccountDocument.properties;
const BLANK = /^$/;
const NO_ADDRESS = /^(?!https?:\/\/[^\s?#]+$)/;
const ProviderSetting = Type.Object({
  ...IdentityProviderSettings.properties,
  name: IdentityProvider.properties.name,
});
const FORMS: readonly (readonly [name: string, form: FormCase])[] = [
  ["a group", formCase(groups.items, groupForm(undefined), { name: "Sales", description: "", org_id: "o1" })],
  [
    "a property",
    formCase(fields.items, fieldForm(undefined, []), { name: "cf_size", label: "Size" }, { label: BLANK }),
  ],
  ["a role", formCase(roles.items, roleForm(undefined, []), { name: "Shift lead", description: "" })],
  [
    "a status",
    formCase(statuses.items, statusForm(undefined, []), { name: "Lunch", availability_status: "UNAVAILABLE" as const }),
  ],
  [
    "an agent",
    formCase(
      NewAgent,
      agentForm(false),
      { email: "ann@example.com", first_name: "Ann", last_name: "", phone: "", role_id: "AGENT", groups: ["g1"] },
      { email: /^(?![^\s@]+@[^\s@]+$)/ },
    ),
  ],
  [
    "an identity provider",
    formCase(
      ProviderSetting,
      providerForm(true),
      {
        ...{ name: "company", label: "Company", issuer: "https://login.example.com" },
        ...{ client_id: "parley", client_secret: " s " },
      },
      { issuer: NO_ADDRESS, client_id: BLANK },
    ),
  ],
  [
    "a webhook",
    formCase(
      NewWebhook,
      webhookForm,
      { url: "https://acme.example/", actions: ["message_create" as const] },
      { url: NO_ADDRESS },
    ),
  ],
  ["a topic", formCase(channels.items, topicForm("en", []), { name: "Orders", tags: ["a"], icon: {}, locales: {} })],
  [
    "an outbound template",
    formCase(Template, outboundTemplateForm(undefined, []), {
      namespace: "n",
      name: "shipped",
      language: "en",
      status: "approved",
      header: { type: "text", text: "Hello" },
      body: { text: "Hi {{1}}" },
      buttons: [{ subType: "url", label: "See", url: "https://acme.example/a" }],
    }),
  ],
  ["a signing key", formCase(NewSigningKey, keyForm, { name: "Shop", algorithm: "HS256" as const })],
  [
    "a reply template",
    formCase(NewReplyTemplate, templateForm(false), { name: "Hello", shortcut: "hi", text: "Hello", is_shared: true }),
  ],
  ["business hours", formCase(BusinessHours, hoursForm(undefined, []), { timezone: "UTC", week: {} })],
];

const ALPHABET = ["a", "Z", "0", "_", "-", ".", "/", ":", " ", "\n", "\u200B", "é", "😀", "👨‍👩‍👧", "注"];
const SHORT_TEXTS = fc.string({ unit: fc.constantFrom(...ALPHABET), maxLength: 8 });
const TEXTS = ["", " ", "\u200B", "cf_a", "https://acme.example/a", "en", "valid-name"];
/** Texts of the longest permitted length, and of one character more. */
const longTexts = (maxLength = 300): readonly string[] =>
  ["a", "😀"].flatMap((each) => [each.repeat(maxLength), each.repeat(maxLength + 1)]);

describe.each(FORMS)("%s", (_name, { schema, form, record, stricter = {} }) => {
  const valid = formValuesOf(form, record);
  const contract: Readonly<Record<string, MemberSchema>> = schema.properties;
  const textMembers = Object.keys(form.members).filter((name) => contract[name]?.type === "string");
  const lists = Object.entries(form.members).filter(
    ([name, { to }]) => !to && contract[name]?.maxItems !== undefined && contract[name].items?.type !== "object",
  );

  test("is accepted as it is, and stays as it is when it is saved unchanged", () => {
    expect(formProblemsOf(form, valid)).toEqual({});
    expect(recordOf(form, valid)).toMatchObject(record);
    expect(Value.Check(schema, recordOf(form, valid))).toBe(true);
  });

  test("has at each text what the contract accepts, and refuses other texts at their field", () => {
    for (const name of textMembers) {
      const expectSame = (text: string): void => {
        const values = { ...valid, [name]: text };
        const isAccepted = Value.Check(schema, recordOf(form, values)) && stricter[name]?.test(text.trim()) !== true;
        const problems = isAccepted ? [] : [name];
        expect([text.slice(0, 20), Object.keys(formProblemsOf(form, values))]).toEqual([text.slice(0, 20), problems]);
      };
      for (const text of [...TEXTS, ...longTexts(contract[name]?.maxLength)]) expectSame(text);
      fc.assert(fc.property(SHORT_TEXTS, expectSame));
    }
  });

  test("refuses a list that is longer than the contract admits", () => {
    for (const [name] of lists) {
      const list = Array.from({ length: (contract[name]?.maxItems ?? 0) + 1 }, (_, n) => `g${n}`);
      expect(formProblemsOf(form, { ...valid, [name]: list })).toHaveProperty(name);
    }
  });
});

describe("values of a form", () => {
  const form: SchemaForm<
    { name?: string; note?: string; list?: string[] },
    { name: string; note: string; list: readonly string[] }
  > = {
    schema: { name: { type: "string", minLength: 1 }, note: { type: "string" }, list: { type: "array", maxItems: 1 } },
    members: { name: { label: "Name", taken: "Taken" }, note: { label: "Note", lines: 2 }, list: { label: "List" } },
  };
  test("of a new record are empty, and a text that the schema refuses is left out", () => {
    const values = formValuesOf(form);
    expect(values).toEqual({ name: "", note: "", list: [] });
    expect(recordOf(form, values)).toEqual({ note: "", list: [] });
    expect(formProblemsOf(form, values)).toEqual({});
  });
  test("are trimmed, except longer texts", () => {
    expect(recordOf(form, { name: " a ", note: " b\n", list: [] })).toEqual({ name: "a", note: " b\n", list: [] });
  });
  test("are refused when another record has them, or a list is too long", () => {
    expect(formProblemsOf(form, { name: " a ", note: "a", list: ["a", "b"] }, [{ name: "a", note: "a" }])).toEqual({
      name: "Taken",
      list: "The list can have 1 entries.",
    });
  });
  test("that are not shown are not checked", () => {
    const hidden = { ...form, members: { ...form.members, list: { label: "List", isShown: () => false } } };
    expect(formProblemsOf(hidden, { name: "a", note: "", list: ["a", "b"] })).toEqual({});
  });
});
