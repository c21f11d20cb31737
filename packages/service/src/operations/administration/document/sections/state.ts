import type {
  AccountDocument,
  BusinessHours,
  ChannelSetting,
  AccountSection,
  AccountConfiguration,
  Agent,
  AgentStatus,
  Channel,
  Field,
  Group,
  MessengerLook,
  MessengerPrivacy,
  Role,
  Template,
} from "@parley/contract";

const channelOf = (
  { id, icon, enabled, public: shown, tags, texts }: ChannelTopic,
  primary: string,
): ChannelSetting => {
  const { [primary]: own, ...others } = texts;
  return {
    id,
    // A topic without text in the primary language has its id as its name.
    ...(own ?? { name: id }),
    icon,
    enabled,
    public: shown,
    tags,
    ...(Object.keys(others).length > 0 && { locales: others }),
  };
};

const hoursOf = ({ id, ...hours }: BusinessHoursSetting, groups: readonly OrgGroup[]): BusinessHours => {
  const group = groups.find((each) => each.id === id)?.name;
  return { ...(group !== undefined && { group }), ...hours };
};

/** The document of an account. Applying it to the same account changes nothing. */
export const documentOf = ({
  name,
  configuration,
  primary_locale,
  calls_per_hour,
  automatic_assignment,
  messenger,
  lists,
}: AccountState) => {
  const { plan_type, datacenter, bundle_id, bundle_type, organisation_id, organisation_domain } = configuration;
  return {
    name,
    plan_type,
    datacenter,
    bundle: { id: bundle_id, type: bundle_type },
    organisation: { id: organisation_id, domain: organisation_domain },
    primary_locale,
    ...(calls_per_hour !== null && { calls_per_hour }),
    automatic_assignment,
    messenger: { ...messenger, aliases: [...messenger.aliases], origins: [...messenger.origins] },
    channels: lists.channels.map((topic) => channelOf(topic, primary_locale)),
    groups: [...lists.groups],
    roles: lists.roles
      .filter(({ is_custom_role }) => is_custom_role)
      .map(({ id, name, description }) => ({ id, name, description })),
    statuses: [...lists.statuses],
    fields: lists.fields.map(({ custom: _custom, default_value: _default, choices, ...field }) => ({
      ...field,
      ...(choices.length > 0 && { choices }),
    })),
    templates: lists.templates.map(({ id: _, ...template }) => template),
    business_hours: lists.business_hours.map((hours) => hoursOf(hours, lists.groups)),
  } satisfies AccountDocument & Required<Pick<AccountDocument, AccountSection>>;
};

/** The texts of a topic in one language. */
export type ChannelText = Pick<Channel, "name" | "welcome_message">;

/** A topic in all its languages. */
export interface ChannelTopic extends Pick<Channel, "id" | "updated_time" | "icon" | "enabled" | "public" | "tags"> {
  /** By locale. */
  readonly texts: Readonly<Record<string, ChannelText>>;
}
export type OrgGroup = Group & {
  readonly org_id?: string;
  /** Whether the routing takes only agents who are signed in. */
  readonly signed_in_agents_only: boolean;
};
export type AgentStatusSetting = AgentStatus & Pick<Agent, "availability_status">;
/** `id` is the whole key: namespace, name and language. */
export type AccountTemplate = Template & { readonly id: string };
/** `id` is the id of the group, or "" for the account. */
export type BusinessHoursSetting = Omit<BusinessHours, "group"> & { readonly id: string };

export interface AccountLists {
  readonly channels: readonly ChannelTopic[];
  readonly groups: readonly OrgGroup[];
  readonly roles: readonly Role[];
  readonly statuses: readonly AgentStatusSetting[];
  readonly fields: readonly Field[];
  readonly templates: readonly AccountTemplate[];
  readonly business_hours: readonly BusinessHoursSetting[];
}

/** The messenger of an account, each list in order. */
export interface MessengerSettings {
  readonly aliases: readonly string[];
  readonly origins: readonly string[];
  readonly look: MessengerLook;
  readonly privacy: MessengerPrivacy;
}

/** Settings of an account without its lists. */
export interface AccountSettings {
  readonly name: string;
  readonly configuration: AccountConfiguration;
  readonly primary_locale: string;
  /** null: the default of the plan. */
  readonly calls_per_hour: number | null;
  /** Whether the routing of groups assigns conversations. */
  readonly automatic_assignment: boolean;
  readonly messenger: MessengerSettings;
}

/** The complete setup of an account except its agents. */
export interface AccountState extends AccountSettings {
  readonly lists: AccountLists;
}

export const INITIAL_MESSENGER: MessengerSettings = { aliases: [], origins: [], look: {}, privacy: {} };

export const NO_LISTS: AccountLists = {
  channels: [],
  groups: [],
  roles: [],
  statuses: [],
  fields: [],
  templates: [],
  business_hours: [],
};

/** Rows to insert or update in a list, and the ids of rows to remove. */
interface ListChange<R> {
  readonly put: readonly R[];
  readonly removed: readonly { readonly id: string }[];
}
export type ListChanges = { readonly [K in keyof AccountLists]: ListChange<AccountLists[K][number]> };

/** The changes that write all rows of the lists for the first time. */
export const listsAsInserts = (lists: AccountLists): ListChanges => ({
  channels: { put: lists.channels, removed: [] },
  groups: { put: lists.groups, removed: [] },
  roles: { put: lists.roles, removed: [] },
  statuses: { put: lists.statuses, removed: [] },
  fields: { put: lists.fields, removed: [] },
  templates: { put: lists.templates, removed: [] },
  business_hours: { put: lists.business_hours, removed: [] },
});

export const templateId = ({ namespace, name, language }: Pick<Template, "namespace" | "name" | "language">): string =>
  JSON.stringify([namespace, name, language]);
