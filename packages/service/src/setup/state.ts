import type {
  AccountConfiguration,
  Agent,
  AgentStatus,
  BusinessHours,
  Channel,
  Field,
  Group,
  Role,
  Template,
} from "@parley/contract";

/** What one topic says in one language. */
export type Words = Pick<Channel, "name" | "welcome_message">;

/** A topic in all its languages. */
export interface Topic extends Pick<Channel, "id" | "updated_time" | "icon" | "enabled" | "public" | "tags"> {
  /** By locale. */
  readonly texts: Readonly<Record<string, Words>>;
}
export type OrgGroup = Group & { readonly org_id?: string };
export type Status = AgentStatus & Pick<Agent, "availability_status">;
/** `id` is its whole key: namespace, name and language. */
export type KnownTemplate = Template & { readonly id: string };
/** `id` is that of the group, "" for the account. */
export type Hours = Omit<BusinessHours, "group"> & { readonly id: string };

export interface Lists {
  readonly channels: readonly Topic[];
  readonly groups: readonly OrgGroup[];
  readonly roles: readonly Role[];
  readonly statuses: readonly Status[];
  readonly fields: readonly Field[];
  readonly templates: readonly KnownTemplate[];
  readonly business_hours: readonly Hours[];
}

/** The account itself, without its lists. */
export interface AccountSettings {
  readonly name: string;
  readonly configuration: AccountConfiguration;
  readonly primary_locale: string;
  /** null: by plan. */
  readonly calls_per_hour: number | null;
}

/** All that an account is set up with, but its agents. */
export interface AccountState extends AccountSettings {
  readonly lists: Lists;
}

export const NO_LISTS: Lists = {
  channels: [],
  groups: [],
  roles: [],
  statuses: [],
  fields: [],
  templates: [],
  business_hours: [],
};

/** What is put into a list, and the ids of what goes. */
export interface ListChange<R> {
  readonly put: readonly R[];
  readonly removed: readonly { readonly id: string }[];
}
export type ListChanges = { readonly [K in keyof Lists]: ListChange<Lists[K][number]> };

/** Lists that are written for the first time. */
export const wholeLists = (lists: Lists): ListChanges => ({
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
