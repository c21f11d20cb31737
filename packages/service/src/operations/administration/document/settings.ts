import type { AccountConfiguration, AccountDocument } from "@parley/contract";
import { refuseChange } from "./sections/section.ts";
import { INITIAL_MESSENGER, type AccountSettings } from "./sections/state.ts";

/** An account is stand-alone if and only if it belongs to no bundle. @spec Resources and their fields > Account configuration object */
const checkBundle = ({ bundle_id, bundle_type }: AccountConfiguration) => {
  if ((bundle_id === 0) !== (bundle_type === "STANDALONE"))
    refuseChange("bundle", "must have the id 0 with the type STANDALONE, and another id with the others");
};

/**
 * Initial settings of an account. Its number is the id of the row.
 * @assumed Free, US, English, stand-alone; the organisation has the account's number unless the document names a number.
 */
export const initialSettings = ({
  id,
  name,
  domain,
  app_id,
}: {
  readonly id: number;
  readonly name: string;
  readonly domain: string;
  readonly app_id: string;
}): AccountSettings => ({
  name,
  configuration: {
    organisation_id: id,
    organisation_domain: `${name}-org.${domain}`,
    account_id: id,
    account_domain: `${name}.${domain}`,
    app_id,
    bundle_id: 0,
    bundle_type: "STANDALONE",
    plan_type: "Free",
    datacenter: "US",
  },
  primary_locale: "en",
  calls_per_hour: null,
  automatic_assignment: false,
  messenger: INITIAL_MESSENGER,
});

/** The entries of a list of the document, each once and in order; the present entries if the document omits the list. */
const entriesOf = (list: readonly string[] | undefined, present: readonly string[]): readonly string[] =>
  list === undefined ? present : [...new Set(list)].toSorted();

/** The settings of the account after a document was applied. Members that the document omits stay unchanged. @errors INVALID_VALUE */
export const mergedSettings = (present: AccountSettings, document: AccountDocument): AccountSettings => {
  const { plan_type, datacenter, bundle, organisation, primary_locale, calls_per_hour, automatic_assignment } =
    document;
  const before = present.configuration;
  const configuration: AccountConfiguration = {
    ...before,
    organisation_id: organisation?.id ?? before.organisation_id,
    organisation_domain: organisation?.domain ?? before.organisation_domain,
    bundle_id: bundle?.id ?? before.bundle_id,
    bundle_type: bundle?.type ?? before.bundle_type,
    plan_type: plan_type ?? before.plan_type,
    datacenter: datacenter ?? before.datacenter,
  };
  checkBundle(configuration);
  return {
    name: present.name,
    configuration,
    primary_locale: primary_locale ?? present.primary_locale,
    // An absent member keeps the present value. 0 restores the default of the plan.
    calls_per_hour: calls_per_hour === undefined ? present.calls_per_hour : calls_per_hour || null,
    automatic_assignment: automatic_assignment ?? present.automatic_assignment,
    messenger: {
      aliases: entriesOf(document.messenger?.aliases, present.messenger.aliases),
      origins: entriesOf(document.messenger?.origins, present.messenger.origins),
      look: document.messenger?.look ?? present.messenger.look,
      privacy: document.messenger?.privacy ?? present.messenger.privacy,
    },
  };
};

/** The members by which changes of the account are reported, named as in the document. */
export const settingMembers = ({
  configuration,
  primary_locale,
  calls_per_hour,
  automatic_assignment,
  messenger,
}: AccountSettings) => ({
  plan_type: configuration.plan_type,
  datacenter: configuration.datacenter,
  bundle: [configuration.bundle_id, configuration.bundle_type],
  organisation: [configuration.organisation_id, configuration.organisation_domain],
  primary_locale,
  calls_per_hour,
  automatic_assignment,
  messenger,
});
