import type { IdentityProvider, IdentityProviderSettings } from "@parley/contract";
import { PROVIDER_VALUES } from "./contract-values.ts";
import { providerMessages as texts } from "./messages.ts";

/** Values of the form of a provider. */
interface ProviderValues {
  readonly name: string;
  readonly label: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Empty: the stored secret stays, or the client has no secret. */
  readonly secret: string;
}

export const providerValuesOf = (provider: IdentityProvider | undefined): ProviderValues => ({
  name: provider?.name ?? "",
  label: provider?.label ?? "",
  issuer: provider?.issuer ?? "",
  clientId: provider?.client_id ?? "",
  secret: "",
});

/** The contract's limits. @units characters */
const LENGTHS = { label: 255, issuer: 2_048, clientId: 1_024, secret: 1_024 } as const;
const NAME = new RegExp(PROVIDER_VALUES.name);

const nameProblem = (name: string, others: readonly string[]): string | undefined => {
  if (!NAME.test(name)) return texts.nameInvalid;
  return others.includes(name) ? texts.nameTaken : undefined;
};

/** On a test environment of the own machine the service accepts plain http, too. */
const issuerProblem = (issuer: string): string | undefined => {
  if (issuer === "") return texts.issuerMissing;
  if (!/^https?:\/\/[^\s?#]+$/i.test(issuer)) return texts.issuerInvalid;
  return issuer.includes("/.well-known/") ? texts.issuerIsDocument : undefined;
};

/** The service has further rules for the issuer, such as that it is public. @shape others: names of the other providers */
export const providerProblemsOf = (
  { name, label, issuer, clientId, secret }: ProviderValues,
  others: readonly string[],
): Partial<Record<keyof ProviderValues, string>> => {
  const typed = { label: label.trim(), issuer: issuer.trim(), clientId: clientId.trim(), secret };
  const problems = {
    name: nameProblem(name.trim(), others),
    label: typed.label === "" ? texts.labelMissing : undefined,
    issuer: issuerProblem(typed.issuer),
    clientId: typed.clientId === "" ? texts.clientIdMissing : undefined,
    secret: undefined,
  };
  const tooLong = Object.entries(LENGTHS).flatMap(([field, max]) =>
    typed[field as keyof typeof LENGTHS].length > max ? [[field, texts.tooLong(max)] as const] : [],
  );
  const found = [...tooLong, ...Object.entries(problems).filter(([, problem]) => problem !== undefined)];
  return Object.fromEntries(found);
};

export const providerSettingsOf = ({ label, issuer, clientId, secret }: ProviderValues): IdentityProviderSettings => ({
  label: label.trim(),
  issuer: issuer.trim(),
  client_id: clientId.trim(),
  ...(secret !== "" && { client_secret: secret }),
});

/**
 * The callback address of a provider with this name.
 * @shape template: of the service, with `{provider}` in place of the name; -> undefined as long as the name is not valid
 */
export const callbackOf = (template: string | undefined, name: string): string | undefined =>
  template !== undefined && NAME.test(name.trim()) ? template.replace("{provider}", name.trim()) : undefined;
