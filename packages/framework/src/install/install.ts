import type { InstallBasis, IparamValues } from "@parley/contract";
import type { Egress } from "@parley/egress";
import type { Project } from "../project/project.ts";
import type { Prospect, SetUp } from "../runtime/set-up.ts";
import { basisOf, overtaken } from "./basis.ts";
import { domainIn, type Installation, type Installations } from "./installations.ts";
import { fieldsOf } from "./iparams-fields.ts";
import { checkKey } from "./key-check.ts";
import { checkOwnValues } from "./own/own-values.ts";
import { nameScopeOf, newSecretHost, storedValues } from "../request/secret-hosts.ts";
import { otherProduct } from "./product.ts";
import type { InTurn } from "./turn.ts";
import { checkValues, type Checked, type Given } from "./validate-values.ts";

export interface InstallDeps {
  readonly project: () => Project;
  readonly installations: Installations;
  readonly egress: Egress;
  readonly domainSuffix: string;
  /** Host of the account where the app has no domain parameter. */
  readonly usualDomain: string;
  readonly setUp: SetUp;
  readonly inTurn: InTurn;
}

/** `errors` by key; `message` says it in one line. */
export type Installed =
  | { readonly ok: true; readonly installation: Installation }
  | {
      readonly ok: false;
      readonly errors: Readonly<Record<string, string>>;
      readonly message: string;
      /** What is there now, where it is not what the person saw. */
      readonly basis?: InstallBasis;
    };

export type Install = (given: Given) => Promise<Installed>;

const FAILED = "Validation failed.";
const NO_CALLBACKS =
  "This app has no callbacks, so that nothing can have changed its parameters. Reload the page and save again.";

const refused = (errors: Readonly<Record<string, string>>, message = FAILED): Installed => ({
  ok: false,
  errors,
  message,
});

/** The key as it came, whether it is kept as a secure value or not. */
const keyIn = ({ values, secrets }: Checked, key: string): string | undefined => {
  const given = secrets[key] ?? values[key];
  return typeof given === "string" && given !== "" ? given : undefined;
};

/** Secrets that are kept from before stay with the hosts that they were entered for. */
const checkKept = (
  { kept, values }: Checked,
  domain: string,
  installed: Installation | undefined,
  { project, domainSuffix }: InstallDeps,
): Record<string, string> => {
  if (!installed) return {};
  const { iparams } = project();
  const before = storedValues(installed.values, installed.domain, domainSuffix, iparams);
  const after = storedValues(values, domain, domainSuffix, iparams);
  return Object.fromEntries(
    kept.flatMap((key) => {
      const host = newSecretHost(key, project(), before, after, nameScopeOf(key, iparams));
      if (host === undefined) return [];
      return [[key, `Enter this again: it could now be sent to ${host}, and it was stored for another host.`]];
    }),
  );
};

/** Checks each key against the account; one that is kept from before must stay with its account. */
const checkKeys = async (
  checked: Checked,
  domain: string,
  installed: Installation | undefined,
  { project, egress }: InstallDeps,
): Promise<{ errors: Record<string, string>; account?: Prospect["account"] }> => {
  const errors: Record<string, string> = {};
  let account: Prospect["account"];
  for (const [key, iparam] of Object.entries(project().iparams)) {
    if (iparam.type !== "api_key" || otherProduct(iparam) !== undefined) continue;
    const given = keyIn(checked, key);
    if (given === undefined) {
      if (installed?.secure.has(key) && installed.domain !== domain) {
        errors[key] = `Enter the key of ${domain}: the one that is stored belongs to ${installed.domain}.`;
      }
      continue;
    }
    const result = await checkKey(egress, domain, given);
    if (result.ok) account = result.account;
    else errors[key] = result.message;
  }
  return { errors, account };
};

/**
 * The one road of an installation: values, then key, then the app's own word, then the store. One at a time.
 * @assumed Saving over an installation is an update: `afterAppUpdate` in place of `onAppInstall`. A stored key is asked for again
 * only when the domain changes.
 */
export const installRoad = (deps: InstallDeps): Install => {
  const attempt: Install = async (given) => {
    const project = deps.project();
    const installed = await deps.installations.find();
    const basis = basisOf(project, installed);
    const overtook = overtaken(given.basis, basis);
    if (overtook !== undefined) {
      // What is edited must be seen first.
      return { ok: false, errors: {}, message: overtook, ...(given.basis?.form === basis.form ? { basis } : {}) };
    }
    // Only callbacks may lift what the parameters ask for.
    if (project.callbacksCode === "" && Object.keys(given.attributes ?? {}).length > 0)
      return refused({}, NO_CALLBACKS);
    const fields = fieldsOf(project, installed?.values);
    const checked =
      project.ownPage === undefined
        ? checkValues(fields, given, installed, deps.domainSuffix)
        : checkOwnValues(given.values, installed);
    if ("fault" in checked) return refused({}, checked.fault);
    if (Object.keys(checked.errors).length > 0) return refused(checked.errors);
    const values: IparamValues = checked.values;
    const domain = domainIn(values, project.iparams, deps.domainSuffix) ?? deps.usualDomain;
    const { errors: ofKeys, account } = await checkKeys(checked, domain, installed, deps);
    const errors = { ...checkKept(checked, domain, installed, deps), ...ofKeys };
    if (Object.keys(errors).length > 0) return refused(errors);
    const prospect: Prospect = { values, secureValues: checked.secrets, account };
    const answer = await deps.setUp(installed ? "afterAppUpdate" : "onAppInstall", prospect);
    if (!answer.ok) {
      // Schedules, targets and records that it made before it refused are of no installation.
      if (!installed) await deps.installations.forget(domain);
      return refused({}, answer.message);
    }
    const dropped = [...(installed?.secure ?? [])].filter((key) => !checked.kept.includes(key));
    return { ok: true, installation: await deps.installations.save(values, checked.secrets, dropped) };
  };

  return (given) => deps.inTurn(() => attempt(given));
};
