import type { AccountDocument, Field, FieldSetting, AccountSection, NestedList } from "@parley/contract";
import { refuseChange, changedMembers, planSection, type SectionChange, type SectionPlan } from "./sections/section.ts";
import { channelRules, checkPrimary, templateRules } from "./sections/channels.ts";
import { fieldRules, DEFAULT_FIELDS } from "./sections/fields.ts";
import {
  checkOrgIds,
  groupRules,
  roleRules,
  checkAvailable,
  DEFAULT_STATUSES,
  statusRules,
} from "./sections/agents-and-groups.ts";
import { hoursRules } from "./sections/hours.ts";
import { mergedSettings, settingMembers } from "./settings.ts";
import type { AccountSettings, AccountState, BusinessHoursSetting, AccountLists, OrgGroup } from "./sections/state.ts";

interface PlanOptions {
  readonly newId: () => string;
  readonly now: Date;
  /** Prunes every list that the document contains. */
  readonly prune: boolean;
}

/** The rows to write for each list. */
export type ListPlans = { readonly [K in keyof AccountLists]: SectionPlan<AccountLists[K][number]> };

interface Plan {
  readonly settings: AccountSettings;
  readonly lists: ListPlans;
  readonly changes: readonly SectionChange[];
  readonly unchanged: number;
}

const lastPosition = (fields: readonly Field[]) => fields.reduce((last, { position }) => Math.max(last, position), 0);

const isSuite = ({ configuration }: AccountSettings) => configuration.bundle_id !== 0;

/** @assumed A stand-alone account has no conversation properties. Its document may name no fields. */
const fieldItems = (document: AccountDocument, settings: AccountSettings, present: readonly Field[]) => {
  const items = document.fields;
  if (items?.length && !isSuite(settings) && present.length === 0)
    refuseChange(
      "fields",
      "may not be given: a stand-alone account has no conversation properties. Give the account a bundle",
    );
  if (!isSuite(settings)) return items;
  const has = (name: string) => [...present, ...(items ?? [])].some((field) => field.name === name);
  const first = DEFAULT_FIELDS.filter(({ name }) => !has(name));
  // After the document's own fields, which keep the positions of the document.
  return first.length === 0
    ? items
    : [...(items ?? []), ...first.map((field): FieldSetting => ({ position: 1, ...field }))];
};

/** Business hours of a removed group are removed with the group. */
const withOrphanedHours = (
  plan: SectionPlan<BusinessHoursSetting>,
  orphans: readonly BusinessHoursSetting[],
  removedGroups: readonly OrgGroup[],
): SectionPlan<BusinessHoursSetting> => ({
  ...plan,
  removed: [...plan.removed, ...orphans],
  changes: [
    ...plan.changes,
    ...orphans.map(({ id }): SectionChange => {
      const name = removedGroups.find((group) => group.id === id)?.name ?? id;
      return { change: "remove", section: "business_hours", name, members: [] };
    }),
  ],
});

/** The time by which written channels are ordered: that of the change, and late enough for all of them to follow the present channels. */
const orderTime = ({ channels }: AccountLists, now: Date, count: number): Date => {
  const latest = Math.max(0, ...channels.map(({ updated_time }) => Date.parse(updated_time)));
  return new Date(Math.max(now.getTime(), latest + 1 + count));
};

const planLists = (
  { lists, ...before }: AccountState,
  document: AccountDocument,
  { settings, isNew, ...options }: PlanOptions & { readonly settings: AccountSettings; readonly isNew: boolean },
): ListPlans => {
  const { newId, now } = options;
  const isPruned = (list: AccountSection | NestedList) => document.prune?.includes(list) ?? false;
  const sectionOptions = (section: AccountSection, nested?: NestedList) => {
    const prune = options.prune || isPruned(section);
    const pruneNested = prune || (nested !== undefined && isPruned(nested));
    return { newId, prune, pruneNested, remove: document.remove?.[section] };
  };
  const count = document.channels?.length ?? 0;
  const locales = {
    primary: settings.primary_locale,
    before: before.primary_locale,
    now: orderTime(lists, now, count),
  };
  const channels = planSection(
    channelRules(locales, count),
    lists.channels,
    document.channels,
    sectionOptions("channels", "locales"),
  );
  const groups = planSection(groupRules, lists.groups, document.groups, sectionOptions("groups"));
  const statuses = document.statuses ?? (isNew ? DEFAULT_STATUSES : undefined);
  const fields = fieldItems(document, settings, lists.fields);
  const isOrphan = ({ id }: BusinessHoursSetting) => groups.removed.some((group) => group.id === id);
  const hours = planSection(
    hoursRules(groups.after),
    lists.business_hours.filter((row) => !isOrphan(row)),
    document.business_hours,
    sectionOptions("business_hours"),
  );
  return {
    channels,
    groups,
    roles: planSection(roleRules, lists.roles, document.roles, sectionOptions("roles")),
    statuses: planSection(statusRules, lists.statuses, statuses, sectionOptions("statuses")),
    fields: planSection(fieldRules(Math.max(1, lastPosition(lists.fields))), lists.fields, fields, {
      ...sectionOptions("fields", "choices"),
      // Without a list in the document there is nothing to prune.
      ...(document.fields === undefined && { prune: false, pruneNested: false }),
    }),
    templates: planSection(templateRules, lists.templates, document.templates, sectionOptions("templates")),
    business_hours: withOrphanedHours(hours, lists.business_hours.filter(isOrphan), groups.removed),
  };
};

/**
 * Computes the changes that a document makes to an account, without writing them.
 * @errors INVALID_VALUE that names the place in the document
 */
export function planAccount(
  before: AccountState,
  document: AccountDocument,
  options: PlanOptions & { readonly isNew: boolean },
): Plan {
  const settings = mergedSettings(before, document);
  const lists = planLists(before, document, { ...options, settings });
  if (settings.primary_locale !== before.primary_locale) checkPrimary(lists.channels.after, settings.primary_locale);
  checkOrgIds(lists.groups.after, document.groups);
  if (options.isNew || lists.statuses.changes.length > 0) checkAvailable(lists.statuses.after);
  const members = changedMembers(settingMembers(before), settingMembers(settings));
  const accountChanges: SectionChange[] = options.isNew
    ? [{ change: "create", section: "account", name: settings.name, members: [] }]
    : members.length > 0
      ? [{ change: "update", section: "account", name: settings.name, members }]
      : [];
  const plans = Object.values(lists);
  return {
    settings,
    lists,
    changes: [...accountChanges, ...plans.flatMap(({ changes }) => changes)],
    unchanged: plans.reduce((count, { unchanged }) => count + unchanged, accountChanges.length === 0 ? 1 : 0),
  };
}
