import type { AccountDocument, BusinessHours, ChannelSetting, Section } from "@parley/contract";
import type { AccountState, Hours, OrgGroup, Topic } from "./state.ts";

const channelOf = ({ id, icon, enabled, public: shown, tags, texts }: Topic, primary: string): ChannelSetting => {
  const { [primary]: own, ...others } = texts;
  return {
    id,
    // A topic that nothing is written of in the primary language can't be listed; its id then stands for its name.
    ...(own ?? { name: id }),
    icon,
    enabled,
    public: shown,
    tags,
    ...(Object.keys(others).length > 0 && { locales: others }),
  };
};

const hoursOf = ({ id, ...hours }: Hours, groups: readonly OrgGroup[]): BusinessHours => {
  const group = groups.find((each) => each.id === id)?.name;
  return { ...(group !== undefined && { group }), ...hours };
};

/** The document of an account: applied to the same account, it changes nothing. */
export const documentOf = ({ name, configuration, primary_locale, calls_per_hour, lists }: AccountState) => {
  const { plan_type, datacenter, bundle_id, bundle_type, organisation_id, organisation_domain } = configuration;
  return {
    name,
    plan_type,
    datacenter,
    bundle: { id: bundle_id, type: bundle_type },
    organisation: { id: organisation_id, domain: organisation_domain },
    primary_locale,
    ...(calls_per_hour !== null && { calls_per_hour }),
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
  } satisfies AccountDocument & Required<Pick<AccountDocument, Section>>;
};
