import {
  type AccountConfiguration,
  type IparamValues,
  type SetUpEvent,
  otherProductsOf,
  PRODUCT_EVENTS,
  PRODUCTS,
  type CurrentHost,
  type EventPayload,
  type ExternalPayload,
  type Manifest,
  type ScheduledPayload,
  type ServiceEvent,
  type SetUpPayload,
} from "@parley/contract";
import type { AppSettingValues } from "../../installation/app-settings.ts";
import type { Installation } from "../../installation/installations.ts";
import { accountHost } from "../../request/templates/account-host.ts";
import { hasVerbs } from "../../request/templates/template.ts";

/** What an installation is about to be. */
export interface PlannedInstallation {
  /** Without secure ones. */
  readonly values: IparamValues;
  readonly secureValues: Readonly<Record<string, string>>;
  /** Of the account, where it is known. */
  readonly account?: Pick<AccountConfiguration, "account_id" | "datacenter"> | undefined;
  /** New app settings that are not stored yet; those that are stored when absent. */
  readonly appSettings?: AppSettingValues | undefined;
}

/** A handler of the app's own life may say no; the message is for the person who installs. */
export type SetUpOutcome = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** Runs the handler that the manifest names for the event, if any. */
export type RunSetUpHandler = (event: SetUpEvent, prospect: PlannedInstallation) => Promise<SetUpOutcome>;

/** Of payloads. @assumed the field's */
const VERSION = "1.0.0";

export const currentHost = (manifest: Manifest, domain: string): CurrentHost => ({
  subscribed_modules: Object.keys(manifest.modules).filter((name) => name !== "common"),
  endpoint_urls: Object.fromEntries([
    ...PRODUCTS.map((product) => [product, `https://${domain}`] as const),
    ...otherProductsOf(manifest).map((product) => [product, `https://${accountHost(product, domain)}`] as const),
  ]),
});

/** @assumed With its protocol where requests are made by verbs: public apps of 2.0 put a path behind it. */
const domainFor = (manifest: Manifest, domain: string): string =>
  hasVerbs(manifest["platform-version"]) ? `https://${domain}` : domain;

/** What the handler of a product event gets. */
export const eventPayload = (event: ServiceEvent, manifest: Manifest, installation: Installation): EventPayload => ({
  account_id: event.account_id,
  domain: domainFor(manifest, event.domain),
  event: PRODUCT_EVENTS[event.kind].name,
  region: event.region,
  timestamp: event.timestamp,
  version: event.version,
  data: event.data,
  iparams: installation.values,
  currentHost: currentHost(manifest, installation.domain),
});

/** What the handler of an event of the app's own life gets. */
export const setUpPayload = (
  event: SetUpEvent,
  { values, account }: PlannedInstallation,
  manifest: Manifest,
  domain: string,
  now: Date,
): SetUpPayload => ({
  ...(account ? { account_id: account.account_id, region: account.datacenter } : {}),
  domain: domainFor(manifest, domain),
  event,
  timestamp: now.getTime(),
  version: VERSION,
  data: {},
  iparams: values,
  currentHost: currentHost(manifest, domain),
});

/** What an event of the module `common` says beside its own part. */
const commonPayload = (manifest: Manifest, { domain, values }: Installation, now: Date) => ({
  domain: domainFor(manifest, domain),
  timestamp: now.getTime(),
  version: VERSION,
  iparams: values,
  currentHost: currentHost(manifest, domain),
});

/** What the handler of a schedule gets. @shape data: JSON text */
export const scheduledPayload = (
  { data }: { readonly data: string },
  manifest: Manifest,
  installation: Installation,
  now: Date,
): ScheduledPayload => ({
  ...commonPayload(manifest, installation, now),
  event: "onScheduledEvent",
  data: JSON.parse(data) as ScheduledPayload["data"],
});

/** What the handler of a target gets. */
export const externalPayload = (
  { headers, data }: Pick<ExternalPayload, "headers" | "data">,
  manifest: Manifest,
  installation: Installation,
  now: Date,
): ExternalPayload => ({ ...commonPayload(manifest, installation, now), event: "onExternalEvent", headers, data });
