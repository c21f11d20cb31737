import { otherProductsOf, type IparamsConfig, type IparamValues, type Manifest } from "@parley/contract";
import type { AppSettings } from "../state/app-settings.ts";
import { accountDomainIn, type Installations } from "../state/installations.ts";
import { type OAuthAccess, refuseRequest, type RequestCall } from "./request-method.ts";
import {
  mayReceiveSecrets,
  nameScopeOf,
  storedSettings,
  storedValues,
  type HostsInFiles,
  type NameScope,
  type SecretDestination,
} from "./secret-hosts.ts";
import { plainText, SubstitutionFailed, type TemplateSources } from "../model/templates/substitute.ts";
import { createRedactor } from "../model/redaction.ts";
import { TemplateError } from "../model/templates/template.ts";

export interface SourcesDeps {
  readonly project: () => HostsInFiles & { readonly iparams: IparamsConfig; readonly manifest: Manifest };
  readonly installations: Pick<Installations, "secrets">;
  readonly appSettings: Pick<AppSettings, "values">;
  /** The part of a Parley account's host after its name. */
  readonly domainSuffix: string;
}

/** Values for the placeholders of a call. Form values take precedence over stored values. */
interface CallSources {
  /** Includes all secrets: for template parts in which secrets are refused. */
  readonly withAllSecrets: (access: Partial<OAuthAccess>) => TemplateSources;
  /** Includes the secrets that a destination may receive: stored secrets for hosts formed from stored values, form secrets for hosts formed from form values. */
  readonly forDestination: (destination: SecretDestination, access: Partial<OAuthAccess>) => TemplateSources;
  /** Returns a URL with secure app settings redacted. */
  readonly shownUrl: (url: string) => string;
}

const split = (values: IparamValues, iparams: IparamsConfig) => {
  const isSecure = ([key]: [string, unknown]) => Object.hasOwn(iparams, key) && iparams[key]?.secure === true;
  const entries = Object.entries(values);
  return {
    open: Object.fromEntries(entries.filter((entry) => !isSecure(entry))),
    secure: Object.fromEntries(entries.filter(isSecure).map(([key, value]) => [key, plainText(value) ?? ""])),
  };
};

export const callSourcesOf = async (
  deps: SourcesDeps,
  call: RequestCall,
  context: Readonly<Record<string, unknown>>,
): Promise<CallSources> => {
  const project = deps.project();
  const { installation } = call;
  const formValues = split(call.values ?? {}, project.iparams);
  const values = { ...(call.values ? {} : installation?.values), ...formValues.open };
  const formSecrets = { ...formValues.secure, ...call.secrets };
  const storedSecrets = installation ? await deps.installations.secrets(installation) : {};
  const settings = call.appSettings ?? (await deps.appSettings.values());
  const appSettings = { ...settings.open, ...settings.secure };
  const redactor = createRedactor();
  redactor.add(Object.values(settings.secure));
  const domain = accountDomainIn(values, project.iparams, deps.domainSuffix) ?? installation?.domain;
  const withAllSecrets = (access: Partial<OAuthAccess>): TemplateSources => ({
    values,
    secrets: { ...storedSecrets, ...formSecrets },
    appSettings,
    context,
    domain,
    otherProducts: otherProductsOf(project.manifest),
    isTrusted: call.origin !== "app",
    ...access,
  });
  return {
    withAllSecrets,
    shownUrl: (url) => redactor.text(url),
    forDestination(destination, access) {
      type StoredPlace = { readonly values: IparamValues; readonly domain?: string | undefined };
      const mayReceive = (place: StoredPlace | undefined, scope: NameScope) =>
        place !== undefined &&
        mayReceiveSecrets(
          destination,
          project,
          {
            ...storedValues(place.values, place.domain, deps.domainSuffix, project.iparams),
            oauthIparams: access.oauthIparams ?? {},
          },
          scope,
        );
      const allowed = (place: StoredPlace | undefined, secretsByKey: Readonly<Record<string, string>>) => {
        const mayReceiveByScope: Readonly<Record<NameScope, boolean>> = {
          account: mayReceive(place, "account"),
          all: mayReceive(place, "all"),
        };
        return Object.fromEntries(
          Object.entries(secretsByKey).filter(([key]) => mayReceiveByScope[nameScopeOf(key, project.iparams)]),
        );
      };
      const formPlace = { values, domain };
      const secrets = { ...allowed(installation, storedSecrets), ...allowed(formPlace, formSecrets) };
      const mayReceiveToken = mayReceive(installation ?? formPlace, "all");
      const withheldSecrets = Object.keys({ ...storedSecrets, ...formSecrets }).filter(
        (key) => !Object.hasOwn(secrets, key),
      );
      const mayReceiveSettings = mayReceiveSecrets(destination, project, storedSettings(appSettings));
      const withheldSettings = mayReceiveSettings ? [] : Object.keys(settings.secure);
      return {
        ...withAllSecrets(access),
        secrets,
        appSettings: mayReceiveSettings ? appSettings : settings.open,
        accessToken: mayReceiveToken ? access.accessToken : undefined,
        withheld: new Set([
          ...withheldSecrets.map((key) => `iparam.${key}`),
          ...withheldSettings.map((key) => `app_settings.${key}`),
          ...(mayReceiveToken ? [] : ["access_token"]),
        ]),
      };
    },
  };
};

/** Runs a substitution. @errors RequestRejected with the message of other app hosts if the substitution fails */
export const substituteOrReject = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (error instanceof SubstitutionFailed || error instanceof TemplateError)
      refuseRequest(400, `Error while substituting the templates: ${error.message}`);
    throw error;
  }
};
