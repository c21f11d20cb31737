import type { InstallationState, Iparam, IparamsConfig, IparamValues } from "@parley/contract";
import { gather, type Vault } from "@parley/database";
import type { HostPorts } from "../environment/ports.ts";
import { secureIparamOwner } from "./secret-owners.ts";
import { domainHostOf } from "../model/iparams/domain.ts";
import { inDomainForm, type DomainForms } from "../model/iparams/domain-form.ts";
import { otherProduct } from "../model/templates/account-host.ts";
import type { ChangeReport } from "../identity/change-reports.sql.ts";
import type { RecordOwner } from "./records.sql.ts";
import type { InstallationRow, InstallationStore } from "./installations.sql.ts";

/** Runs tasks one after another, whether or not they fail. */
export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>;

export const createSerialQueue = (): SerialQueue => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
};

/** The account that an installation belongs to. */
export interface InstallationAccount {
  readonly name: string;
  /** The account's host. */
  readonly domain: string;
}

/** The app as it is installed on one account. */
export interface Installation {
  readonly id: string;
  /** The account's name. */
  readonly account: string;
  /** Host of the account's API: that of the domain parameter if the app has such a parameter. */
  readonly domain: string;
  /** Without secure parameters. */
  readonly values: IparamValues;
  /** Keys of the secure parameters that are set. */
  readonly secure: ReadonlySet<string>;
  /** Number of saves. */
  readonly version: number;
  /** Whether an admin has consented that handlers read secure parameters in `args.iparams`. */
  readonly readsSecure?: boolean;
  /** The published version; absent for an app that is read from a folder. */
  readonly appVersion?: string;
  readonly state: InstallationState;
}

export interface Installations {
  find(): Promise<Installation | undefined>;
  /** Installs the app, or updates the installation. A secure parameter that is neither set nor dropped keeps its value. */
  save(
    values: IparamValues,
    secureValues: Readonly<Record<string, string>>,
    dropped?: readonly string[],
    report?: ChangeReport,
  ): Promise<Installation>;
  /**
   * The only access to secure values: for the request method, and for handlers with an admin's consent. Those of an installation that was
   * found are as it was found, like its other values.
   */
  secrets(installation: Pick<Installation, "id">): Promise<Record<string, string>>;
  /** Also removes the app's data: records, schedules, targets, tokens. */
  remove(id: string, report?: ChangeReport): Promise<void>;
  /** Removes the app's data if the app is not installed. */
  forget(): Promise<void>;
}

interface InstallationsDeps {
  readonly store: InstallationStore;
  readonly vault: Vault;
  readonly ports: HostPorts;
  /** Name of the app. */
  readonly project: string;
  readonly app: () => DomainForms;
  readonly domainSuffix: string;
  readonly account: InstallationAccount;
  /** The published version that a save installs; absent for an app that is read from a folder. */
  readonly appVersion?: string | undefined;
}

/** The sealed secure values of installations that were read: each request of an app needs them with the other values. */
const sealedOf = new WeakMap<object, InstallationRow["secure"]>();

const read = (row: InstallationRow, { app, domainSuffix }: InstallationsDeps): Installation => {
  const installation: Installation = {
    id: row.id,
    account: row.account,
    domain: row.domain,
    values: inDomainForm(JSON.parse(row.given) as IparamValues, app(), domainSuffix),
    secure: new Set(Object.keys(row.secure)),
    version: row.version,
    readsSecure: row.reads_secure,
    ...(row.app_version !== null && { appVersion: row.app_version }),
    state: row.state,
  };
  sealedOf.set(installation, row.secure);
  return installation;
};

/** The account's host in the values: the first domain parameter of the chat product. */
export const accountDomainIn = (values: IparamValues, iparams: IparamsConfig, suffix: string): string | undefined => {
  const isOurs = (iparam: Iparam) => iparam.type === "domain" && otherProduct(iparam) === undefined;
  const key = Object.entries(iparams).find(([, iparam]) => isOurs(iparam))?.[0];
  const value = key === undefined ? undefined : values[key];
  return typeof value === "string" && value !== "" ? (domainHostOf(value, suffix) ?? value.toLowerCase()) : undefined;
};

/** The name of the account at a host. */
export const accountNameOf = (domain: string, suffix: string): string =>
  domain.endsWith(suffix) ? domain.slice(0, -suffix.length) : domain;

const ownerOfData = ({ project, account }: InstallationsDeps): RecordOwner => ({ project, account: account.name });

/** Concurrent lookups share one statement, which starts after they were made. */
const finding = (deps: InstallationsDeps): Installations["find"] => {
  const find = gather<undefined, Installation | undefined>({
    name: "installations",
    maxBatch: 256,
    maxInFlight: 2,
    run: async (askers) => {
      const row = await deps.store.find(ownerOfData(deps));
      const found = row && read(row, deps);
      return askers.map(() => found);
    },
  });
  return () => find(undefined);
};

/** The installation of an app on an account. */
export const createInstallations = (deps: InstallationsDeps): Installations => ({
  find: finding(deps),
  async save(values, secureValues, dropped = [], report) {
    const domain = accountDomainIn(values, deps.app().iparams, deps.domainSuffix) ?? deps.account.domain;
    const row = await deps.store.save(ownerOfData(deps), deps.ports.newId(), (id) => ({
      domain,
      appVersion: deps.appVersion ?? null,
      given: JSON.stringify(values),
      secure: Object.fromEntries(
        Object.entries(secureValues).map(([key, text]) => [key, deps.vault.seal(secureIparamOwner(id, key), text)]),
      ),
      dropped,
      now: deps.ports.now(),
      report,
    }));
    return read(row, deps);
  },
  async secrets(installation) {
    const { id } = installation;
    const sealed = Object.entries(sealedOf.get(installation) ?? (await deps.store.secure(id)));
    return Object.fromEntries(sealed.map(([key, text]) => [key, deps.vault.open(secureIparamOwner(id, key), text)]));
  },
  remove: (id, report) => deps.store.remove(id, deps.ports.now(), report),
  forget: () => deps.store.forget(ownerOfData(deps)),
});
