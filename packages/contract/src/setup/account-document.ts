import Type, { type Static } from "typebox";
import { BundleType, Datacenter, PlanType } from "../api/accounts.ts";
import { Availability } from "../api/agents.ts";
import { FieldType } from "../api/fields.ts";
import { LIMITS } from "../api/limits.ts";
import { MessagePart } from "../api/message-parts.ts";
import { MessageType } from "../api/messages.ts";
import { Avatar } from "../api/values.ts";
import { BusinessHours } from "./business-hours.ts";
import { Template } from "./template.ts";

const Name = Type.String({ minLength: 1, maxLength: 255, pattern: "\\S", description: "Not blank." });
const Text = Type.String({ maxLength: LIMITS.text_characters });
const Uuid = Type.String({
  pattern: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
  description: "A UUID. Only needed if the id matters: entries are matched by name.",
});
const Locale = Type.String({ pattern: "^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$", maxLength: 35, description: "Such as en." });
const Tag = Type.String({ minLength: 1, maxLength: 255 });

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
  tags: Type.Optional(Type.Array(Tag, { maxItems: 100 })),
  locales: Type.Optional(Type.Record(Type.String(), Type.Object(LocalizedTexts), { maxProperties: 50 })),
});
export type ChannelSetting = Static<typeof ChannelSetting>;

const GroupSetting = Type.Object({
  id: Type.Optional(Uuid),
  org_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  name: Name,
  description: Type.Optional(Text),
  routing_type: Type.Optional(Type.Enum(["OCR", "INTELLIASSIGN", "DISABLED"])),
  routing_logic: Type.Optional(Type.Enum(["OCR", "ROUND_ROBIN", "LOAD", "DISABLED"])),
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
  name: Type.String({ pattern: "^(priority|cf_[a-z0-9_]{1,60})$", description: "priority, or cf_ and a name." }),
  label: Type.Optional(Name),
  type: Type.Optional(FieldType),
  editable: Type.Optional(Type.Boolean()),
  required: Type.Optional(Type.Boolean()),
  position: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  choices: Type.Optional(
    Type.Array(Type.Union([Name, Type.Object({ id: Type.Optional(Uuid), value: Name })]), { maxItems: 500 }),
  ),
});
export type FieldSetting = Static<typeof FieldSetting>;

const sections = {
  channels: Type.Optional(Type.Array(ChannelSetting, { maxItems: 500 })),
  groups: Type.Optional(Type.Array(GroupSetting, { maxItems: 500 })),
  roles: Type.Optional(Type.Array(RoleSetting, { maxItems: 100 })),
  statuses: Type.Optional(Type.Array(StatusSetting, { maxItems: 100 })),
  fields: Type.Optional(Type.Array(FieldSetting, { maxItems: 200 })),
  templates: Type.Optional(Type.Array(Template, { maxItems: 1_000 })),
  business_hours: Type.Optional(Type.Array(BusinessHours, { maxItems: 501 })),
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

const Removed = Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 1_024 }), { maxItems: 1_000 }));
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
      pattern: "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$",
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
