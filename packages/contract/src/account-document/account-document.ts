import Type, { type Static } from "typebox";
import { BundleType, Datacenter, PlanType } from "../api/accounts.ts";
import { Availability } from "../api/agents.ts";
import { FieldType } from "../api/fields.ts";
import { LIMITS } from "../api/limits.ts";
import { MessagePart } from "../api/message-parts.ts";
import { MessageType } from "../api/messages.ts";
import { Avatar, VisibleText } from "../api/values.ts";
import { MessengerLook, MessengerPrivacy } from "../messenger/account-settings.ts";
import { MESSENGER_LIMITS } from "../messenger/messenger.ts";
import { ACCOUNT_LIMITS, ACCOUNT_PATTERNS } from "./account-limits.ts";
import { BusinessHours } from "./business-hours.ts";
import { Template } from "./template.ts";

const Name = VisibleText(ACCOUNT_LIMITS.name_characters, { description: "Not blank." });
const Text = Type.String({ maxLength: LIMITS.text_characters });
const Uuid = Type.String({
  pattern: ACCOUNT_PATTERNS.uuid,
  description: "A UUID. Only needed if the id matters: entries are matched by name.",
});
const Locale = Type.String({
  pattern: ACCOUNT_PATTERNS.locale,
  maxLength: ACCOUNT_LIMITS.locale_characters,
  description: "Such as en.",
});
const Tag = VisibleText(ACCOUNT_LIMITS.tag_characters);

/** Texts in one language. An empty list of parts removes the welcome message. */
const LocalizedTexts = {
  name: Name,
  welcome_message: Type.Optional(
    Type.Object({
      message_parts: Type.Array(MessagePart, { maxItems: LIMITS.parts }),
      message_type: Type.Optional(MessageType),
    }),
  ),
};

/** A topic: name and welcome message in the primary language, other languages under `locales`. */
const ChannelSetting = Type.Object({
  id: Type.Optional(Uuid),
  ...LocalizedTexts,
  icon: Type.Optional(Avatar),
  enabled: Type.Optional(Type.Boolean()),
  public: Type.Optional(Type.Boolean()),
  tags: Type.Optional(Type.Array(Tag, { maxItems: ACCOUNT_LIMITS.channel_tags })),
  locales: Type.Optional(
    Type.Record(Type.String(), Type.Object(LocalizedTexts), { maxProperties: ACCOUNT_LIMITS.channel_locales }),
  ),
});
export type ChannelSetting = Static<typeof ChannelSetting>;

const GroupSetting = Type.Object({
  id: Type.Optional(Uuid),
  org_id: Type.Optional(Type.String({ minLength: 1, maxLength: ACCOUNT_LIMITS.org_id_characters })),
  name: Name,
  description: Type.Optional(Text),
  routing_type: Type.Optional(Type.Enum(["OCR", "INTELLIASSIGN", "DISABLED"])),
  routing_logic: Type.Optional(Type.Enum(["OCR", "ROUND_ROBIN", "LOAD", "DISABLED"])),
  signed_in_agents_only: Type.Optional(
    Type.Boolean({
      description:
        "Whether the routing assigns conversations to agents who are signed in only. true for a new group that omits it.",
    }),
  ),
});
export type GroupSetting = Static<typeof GroupSetting>;

/** A custom role. The predefined roles of every account are not listed. */
const RoleSetting = Type.Object({ id: Type.Optional(Uuid), name: Name, description: Type.Optional(Text) });
export type RoleSetting = Static<typeof RoleSetting>;

const StatusSetting = Type.Object({
  id: Type.Optional(Uuid),
  name: Name,
  availability_status: Type.Optional(Availability),
});
export type StatusSetting = Static<typeof StatusSetting>;

/** A conversation property: `priority`, or a custom one whose name starts with `cf_`. */
const FieldSetting = Type.Object({
  id: Type.Optional(Uuid),
  name: Type.String({ pattern: ACCOUNT_PATTERNS.field_name, description: "priority, or cf_ and a name." }),
  label: Type.Optional(Name),
  type: Type.Optional(FieldType),
  editable: Type.Optional(Type.Boolean()),
  required: Type.Optional(Type.Boolean()),
  position: Type.Optional(Type.Integer({ minimum: 1, maximum: ACCOUNT_LIMITS.field_position })),
  choices: Type.Optional(
    Type.Array(Type.Union([Name, Type.Object({ id: Type.Optional(Uuid), value: Name })]), {
      maxItems: ACCOUNT_LIMITS.field_choices,
    }),
  ),
});
export type FieldSetting = Static<typeof FieldSetting>;

/** The messenger of the account. Each member that the document has replaces the present value as a whole. */
const MessengerSetting = Type.Object(
  {
    aliases: Type.Optional(
      Type.Array(
        Type.String({
          pattern: ACCOUNT_PATTERNS.messenger_alias,
          maxLength: MESSENGER_LIMITS.alias_characters,
          description: "Such as a token, or 12/345 for a script at /12/345.js. No other account has it.",
        }),
        {
          maxItems: MESSENGER_LIMITS.aliases,
          description: "What pages that used another service name this account by.",
        },
      ),
    ),
    origins: Type.Optional(
      Type.Array(
        Type.String({
          pattern: ACCOUNT_PATTERNS.messenger_origin,
          maxLength: MESSENGER_LIMITS.origin_characters,
          description: "Such as https://shop.example or https://*.shop.example, in lower case.",
        }),
        {
          maxItems: MESSENGER_LIMITS.origins,
          description: "The origins whose pages can show the messenger. An empty list: every page.",
        },
      ),
    ),
    look: Type.Optional(MessengerLook),
    privacy: Type.Optional(MessengerPrivacy),
  },
  { title: "MessengerSetting" },
);
export type MessengerSetting = Static<typeof MessengerSetting>;

const sections = {
  channels: Type.Optional(Type.Array(ChannelSetting, { maxItems: ACCOUNT_LIMITS.channels })),
  groups: Type.Optional(Type.Array(GroupSetting, { maxItems: ACCOUNT_LIMITS.groups })),
  roles: Type.Optional(Type.Array(RoleSetting, { maxItems: ACCOUNT_LIMITS.roles })),
  statuses: Type.Optional(Type.Array(StatusSetting, { maxItems: ACCOUNT_LIMITS.statuses })),
  fields: Type.Optional(Type.Array(FieldSetting, { maxItems: ACCOUNT_LIMITS.fields })),
  templates: Type.Optional(Type.Array(Template, { maxItems: ACCOUNT_LIMITS.templates })),
  business_hours: Type.Optional(Type.Array(BusinessHours, { maxItems: ACCOUNT_LIMITS.business_hours })),
};

/** The lists of the document, in the order in which they are applied. */
export const ACCOUNT_SECTIONS = [
  "channels",
  "groups",
  "roles",
  "statuses",
  "fields",
  "templates",
  "business_hours",
] as const;
export type AccountSection = (typeof ACCOUNT_SECTIONS)[number];

const Removed = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.short_text_characters }), {
    maxItems: ACCOUNT_LIMITS.removals,
  }),
);
type Removals = Record<AccountSection, typeof Removed>;

/** Lists within entries that a document can prune without pruning the entries themselves. */
export const NESTED_LISTS = ["choices", "locales"] as const;
export type NestedList = (typeof NESTED_LISTS)[number];
const PRUNED = [...ACCOUNT_SECTIONS, ...NESTED_LISTS] as const;

/**
 * Configuration of an account, including everything that no endpoint of the specification creates.
 * @assumed Parts that the document omits are unchanged; entries that `remove` names are removed, and from a list named in `prune` all that the document omits. A stand-alone account has bundle id 0.
 */
export const AccountDocument = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: "For editors." })),
    name: Type.String({
      pattern: ACCOUNT_PATTERNS.account_name,
      description: "Lower-case letters, digits and hyphens: it is part of the account's address.",
    }),
    plan_type: Type.Optional(PlanType),
    datacenter: Type.Optional(Datacenter),
    bundle: Type.Optional(Type.Object({ id: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }), type: BundleType })),
    organisation: Type.Optional(
      Type.Object({
        id: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
        domain: Type.Optional(Type.String({ minLength: 1, maxLength: 253 })),
      }),
    ),
    primary_locale: Type.Optional(Locale),
    calls_per_hour: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: "0: as many as the plan has." }),
    ),
    automatic_assignment: Type.Optional(
      Type.Boolean({
        description:
          "Whether conversations without an agent are assigned by the routing of their group. false when a new account's document omits it.",
      }),
    ),
    messenger: Type.Optional(MessengerSetting),
    ...sections,
    prune: Type.Optional(
      Type.Array(Type.Enum([...PRUNED]), {
        maxItems: PRUNED.length,
        description:
          "Lists that lose what the document omits. `choices` and `locales`: of the fields and channels whose choices or locales the document contains.",
      }),
    ),
    remove: Type.Optional(
      Type.Object(Object.fromEntries(ACCOUNT_SECTIONS.map((section) => [section, Removed])) as Removals, {
        description:
          "Entries to remove, by id or name; a template by `namespace/name (language)`, business hours by the group, or `the account`.",
      }),
    ),
  },
  { title: "AccountDocument" },
);
export type AccountDocument = Static<typeof AccountDocument>;
