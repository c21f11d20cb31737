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
import type { AppSettingValues } from "../../state/app-settings.ts";
import type { Installation } from "../../state/installations.ts";
import { accountHost } from "../../model/templates/account-host.ts";
import { hasVerbs } from "../../model/templates/template.ts";

/** An installation before it is stored. */
export interface PlannedInstallation {
  /** Parameter values without secure values. */
  readonly values: IparamValues;
  readonly secureValues: Readonly<Record<string, string>>;
  /** Data of the account, if known. */
  readonly account?: Pick<AccountConfiguration, "account_id" | "datacenter"> | undefined;
  /** New app settings that are not stored yet. Default: the stored values. */
  readonly appSettings?: AppSettingValues | undefined;
}

/** A set-up handler may refuse; the message is for the person who installs the app. */
export type SetUpOutcome = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** Runs the handler that the manifest names for the event, if it names a handler. */
export type RunSetUpHandler = (event: SetUpEvent, prospect: PlannedInstallation) => Promise<SetUpOutcome>;

/** Version of payloads. @assumed the field's version */
const VERSION = "1.0.0";

export const currentHost = (manifest: Manifest, domain: string): CurrentHost => ({
  subscribed_modules: Object.keys(manifest.modules).filter((name) => name !== "common"),
  endpoint_urls: Object.fromEntries([
    ...PRODUCTS.map((product) => [product, `https://${domain}`] as const),
    ...otherProductsOf(manifest).map((product) => [product, `https://${accountHost(product, domain)}`] as const),
  ]),
});

/** @assumed The domain includes the protocol if requests are made by verbs: public apps of 2.0 append a path to it. */
const domainFor = (manifest: Manifest, domain: string): string =>
  hasVerbs(manifest["platform-version"]) ? `https://${domain}` : domain;

/** Payload for the handler of a product event. */
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

/** Payload for the handler of a set-up event. */
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

/** Members that all events of the module `common` share. */
const commonPayload = (manifest: Manifest, { domain, values }: Installation, now: Date) => ({
  domain: domainFor(manifest, domain),
  timestamp: now.getTime(),
  version: VERSION,
  iparams: values,
  currentHost: currentHost(manifest, domain),
});

/** Payload for the handler of a schedule. @shape data: JSON text */
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

/** Payload for the handler of an external event. */
export const externalPayload = (
  { headers, data }: Pick<ExternalPayload, "headers" | "data">,
  manifest: Manifest,
  installation: Installation,
  now: Date,
): ExternalPayload => ({ ...commonPayload(manifest, installation, now), event: "onExternalEvent", headers, data });
