import { isDeepStrictEqual } from "node:util";
import type { RunSetUpHandler, PlannedInstallation } from "../../runtime/calls/payload.ts";
import {
  type Installations,
  type SerialQueue,
  accountDomainIn,
  type Installation,
  type InstallationAccount,
} from "../../state/installations.ts";
import {
  BASE_PATH,
  routeOf,
  type AccountConfiguration,
  type InstallBasis,
  type IparamValues,
  type IparamsConfig,
  type IparamValue,
} from "@parley/contract";
import { EgressFailure, type Egress, type EgressReason } from "@parley/egress";
import { KEY_CHECK_ENDPOINT } from "../../package/validate/key-permissions.ts";
import { installationReport, type ChangeAuthor } from "../../identity/change-reports.ts";
import type { Project } from "../../model/project.ts";
import { installBasis, staleForm } from "../../state/install-basis.ts";
import { iparamFieldsOf } from "../../model/iparams/fields.ts";
import {
  checkOwnValues,
  checkIparamValues,
  type CheckedIparams,
  type SubmittedIparams,
} from "../../model/iparams/validate-values.ts";
import { nameScopeOf, newSecretHost, storedValues } from "../../request/secret-hosts.ts";
import { otherProduct } from "../../model/templates/account-host.ts";

const KEY_MISMATCH = "Domain or API key is not matching";
const NO_ANSWER = "Domain or API key could not be checked: the account did not answer. Try again in a moment.";

/** @units milliseconds, bytes */
const LIMITS = { timeoutMs: 10_000, maxRequestBytes: 10_000, maxResponseBytes: 100_000 };

/** A timeout or a large response does not prove the key invalid. */
const INCONCLUSIVE_REASONS: readonly EgressReason[] = ["TIMEOUT", "RESPONSE_TOO_LARGE"];

type KeyCheck =
  | { readonly ok: true; readonly account: Pick<AccountConfiguration, "account_id" | "datacenter"> | undefined }
  | { readonly ok: false; readonly message: string };

const accountIn = (body: string) => {
  try {
    return JSON.parse(body) as AccountConfiguration;
  } catch {
    return undefined;
  }
};

/** Requests the account's configuration with the key, which proves that they belong together. */
const checkAccountKey = async (egress: Egress, domain: string, key: string): Promise<KeyCheck> => {
  const { method, path } = routeOf(KEY_CHECK_ENDPOINT);
  try {
    const reply = await egress.send({
      method,
      url: `https://${domain}${BASE_PATH}${path}`,
      headers: { accept: "application/json", authorization: `Bearer ${key}` },
      ...LIMITS,
    });
    if (reply.status === 200) return { ok: true, account: accountIn(reply.body) };
    return { ok: false, message: reply.status === 429 || reply.status >= 500 ? NO_ANSWER : KEY_MISMATCH };
  } catch (error) {
    if (!(error instanceof EgressFailure)) throw error;
    return { ok: false, message: INCONCLUSIVE_REASONS.includes(error.reason) ? NO_ANSWER : KEY_MISMATCH };
  }
};

interface InstallWorkflowDeps {
  readonly project: () => Project;
  readonly installations: Installations;
  readonly egress: Egress;
  readonly domainSuffix: string;
  readonly account: InstallationAccount;
  readonly setUp: RunSetUpHandler;
  readonly inTurn: SerialQueue;
  readonly newId: () => string;
  /** The published version that is installed; absent for an app that is read from a folder. */
  readonly appVersion?: string | undefined;
}

/** `errors` by key; `message` summarizes them in one line. */
type InstallResult =
  | {
      readonly ok: true;
      readonly installation: Installation;
      /** Whether the app was not installed before. */
      readonly isNew: boolean;
      /** Keys of the parameters that were set, changed or removed. */
      readonly changedKeys: readonly string[];
    }
  | {
      readonly ok: false;
      readonly errors: Readonly<Record<string, string>>;
      readonly message: string;
      /** The present installation, if it differs from the installation that the person saw. */
      readonly basis?: InstallBasis;
      /** The app's own handler refused or failed. */
      readonly isByApp?: true;
    };

/** @shape author: absent: the change is not recorded in the audit log */
export type InstallWorkflow = (submitted: SubmittedIparams, author?: ChangeAuthor) => Promise<InstallResult>;

const FAILED = "Validation failed.";
const NO_CALLBACKS =
  "This app has no callbacks, so that nothing can have changed its parameters. Reload the page and save again.";

const refused = (
  errors: Readonly<Record<string, string>>,
  message = FAILED,
): Extract<InstallResult, { ok: false }> => ({ ok: false, errors, message });

/** The submitted key, whether or not it is secure. */
const keyIn = ({ values, secrets }: CheckedIparams, key: string): string | undefined => {
  const value = secrets[key] ?? values[key];
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** Stored secrets may only be sent to the hosts that they were entered for. */
const checkKept = (
  { keptKeys, values }: CheckedIparams,
  domain: string,
  installed: Installation | undefined,
  { project, domainSuffix }: InstallWorkflowDeps,
): Record<string, string> => {
  if (!installed) return {};
  const { iparams } = project();
  const before = storedValues(installed.values, installed.domain, domainSuffix, iparams);
  const after = storedValues(values, domain, domainSuffix, iparams);
  return Object.fromEntries(
    keptKeys.flatMap((key) => {
      const host = newSecretHost(key, project(), before, after, nameScopeOf(key, iparams));
      if (host === undefined) return [];
      return [[key, `Enter this again: it could now be sent to ${host}, and it was stored for another host.`]];
    }),
  );
};

/** Keys of the parameters whose stored value differs afterwards. A secure value that is entered again counts as changed. */
const changedKeysOf = (
  { values, secrets }: CheckedIparams,
  droppedKeys: readonly string[],
  installed: Installation | undefined,
): string[] => {
  const before = installed?.values ?? {};
  const differing = [...new Set([...Object.keys(before), ...Object.keys(values)])].filter(
    (key) => !isDeepStrictEqual(before[key], values[key]),
  );
  return [...new Set([...differing, ...Object.keys(secrets), ...droppedKeys])];
};

/** Verifies each valid key with the account; a stored key may not move to another account. */
const checkKeys = async (
  checked: CheckedIparams,
  domain: string,
  installed: Installation | undefined,
  { project, egress }: InstallWorkflowDeps,
): Promise<{ errors: Record<string, string>; account?: PlannedInstallation["account"] }> => {
  const errors: Record<string, string> = {};
  let account: PlannedInstallation["account"];
  const hasDomainFault = Object.keys(checked.errors).some((key) => project().iparams[key]?.type === "domain");
  // Without the address there is no account to ask.
  if (hasDomainFault) return { errors };
  for (const [key, iparam] of Object.entries(project().iparams)) {
    if (iparam.type !== "api_key" || otherProduct(iparam) !== undefined) continue;
    const value = keyIn(checked, key);
    if (value === undefined) {
      if (installed?.secure.has(key) && installed.domain !== domain) {
        errors[key] = `Enter the key of ${domain}: the stored key belongs to ${installed.domain}.`;
      }
      continue;
    }
    const result = await checkAccountKey(egress, domain, value);
    if (result.ok) account = result.account;
    else errors[key] = result.message;
  }
  return { errors, account };
};

/**
 * The steps of an installation: validate the values and verify the keys, whose errors are reported together, ask the app, store. Installations are
 * serialized.
 * @assumed Saving over an installation is an update: `afterAppUpdate` is called instead of `onAppInstall`. A stored key must be entered again
 * only when the domain changes.
 */
export const createInstallWorkflow = (deps: InstallWorkflowDeps): InstallWorkflow => {
  const reportOf = (author: ChangeAuthor, installed: Installation | undefined, members: readonly string[]) => {
    const { account, newId, project, appVersion } = deps;
    const isUpgrade = installed !== undefined && installed.appVersion !== appVersion;
    const versions = isUpgrade ? [`version ${appVersion ?? ""}`] : [];
    return installationReport(author, {
      id: newId(),
      account: account.name,
      app: project().name,
      action: !installed ? "app.install" : isUpgrade ? "app.upgrade" : "app.change",
      members: [...versions, ...members],
    });
  };

  const attempt: InstallWorkflow = async (submitted, author) => {
    const project = deps.project();
    const installed = await deps.installations.find();
    const basis = installBasis(project, installed);
    // The person must see the present form before editing it.
    const stale = staleForm(submitted.basis, basis, deps.appVersion);
    if (stale) return { ok: false, errors: {}, ...stale };
    // Only callbacks can change the requirements of parameters.
    if (project.callbacksCode === "" && Object.keys(submitted.attributes ?? {}).length > 0)
      return refused({}, NO_CALLBACKS);
    const fields = iparamFieldsOf(project, installed?.values);
    const checked =
      project.ownPage === undefined
        ? checkIparamValues(fields, submitted, installed, deps.domainSuffix)
        : checkOwnValues(submitted.values, installed);
    if ("fault" in checked) return refused({}, checked.fault);
    const values: IparamValues = checked.values;
    const domain = accountDomainIn(values, project.iparams, deps.domainSuffix) ?? deps.account.domain;
    const { errors: ofKeys, account } = await checkKeys(checked, domain, installed, deps);
    // Which hosts a template leads to is known only with all values.
    const isComplete = Object.keys(checked.errors).length === 0;
    const ofKept = isComplete ? checkKept(checked, domain, installed, deps) : {};
    const errors = { ...ofKept, ...ofKeys, ...checked.errors };
    if (Object.keys(errors).length > 0 || submitted.checks_only) return refused(errors);
    const prospect: PlannedInstallation = { values, secureValues: checked.secrets, account };
    const answer = await deps.setUp(installed ? "afterAppUpdate" : "onAppInstall", prospect);
    if (!answer.ok) {
      // Schedules, targets and records that the app created before it refused belong to no installation.
      if (!installed) await deps.installations.forget();
      return { ...refused({}, answer.message), isByApp: true };
    }
    const dropped = [...(installed?.secure ?? [])].filter((key) => !checked.keptKeys.includes(key));
    const changedKeys = changedKeysOf(checked, dropped, installed);
    const report = author && reportOf(author, installed, changedKeys);
    return {
      ok: true,
      isNew: installed === undefined,
      changedKeys,
      installation: await deps.installations.save(values, checked.secrets, dropped, report),
    };
  };

  return (submitted, author) => deps.inTurn(() => attempt(submitted, author));
};

/** The account that a local instance serves, with the credentials for its API. */
interface OwnAccount {
  /** The full host name of the account. */
  readonly domain: string;
  /** Absent: parameters for a key are left out. */
  readonly apiKey?: string;
}

/**
 * Default parameters of an unattended installation: the address and key of the local account, by the type of each parameter. All other
 * parameters use their own defaults. Parameters of other products are left out, because no account of another product is known.
 */
export const ownAccountValues = (iparams: IparamsConfig, { domain, apiKey }: OwnAccount): Record<string, IparamValue> =>
  Object.fromEntries(
    Object.entries(iparams).flatMap(([key, iparam]) => {
      if (otherProduct(iparam) !== undefined) return [];
      if (iparam.type === "domain") return [[key, domain]];
      return iparam.type === "api_key" && apiKey !== undefined ? [[key, apiKey]] : [];
    }),
  );
