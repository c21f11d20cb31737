import type { IdentityProviderSettings } from "@parley/contract";
import type { SchemaForm } from "../../forms/schema-form.ts";
import { PROVIDER_SCHEMA } from "./contract-values.ts";
import { providerMessages as texts } from "./messages.ts";

/** A provider as it is saved, with its name. */
interface ProviderSetting extends IdentityProviderSettings {
  readonly name: string;
}
type ProviderValues = Required<ProviderSetting>;

/** The service has further rules for the issuer, such as that it is public. On a test environment of the own machine it accepts plain http, too. */
const issuerProblem = (issuer: string): string | undefined => {
  if (!/^https?:\/\/[^\s?#]+$/i.test(issuer)) return texts.issuerInvalid;
  return issuer.includes("/.well-known/") ? texts.issuerIsDocument : undefined;
};

/** The form of a new or a stored provider, whose name stays. An empty secret is not sent: the stored secret stays, or the client has no secret. */
export const providerForm = (isNew: boolean): SchemaForm<ProviderSetting, ProviderValues> => ({
  schema: PROVIDER_SCHEMA,
  members: {
    name: {
      label: texts.name,
      help: texts.nameHelp,
      invalid: texts.nameInvalid,
      taken: texts.nameTaken,
      isShown: () => isNew,
    },
    label: { label: texts.label, help: texts.labelHelp, missing: texts.labelMissing },
    issuer: {
      label: texts.issuer,
      help: texts.issuerHelp,
      isAddress: true,
      missing: texts.issuerMissing,
      check: issuerProblem,
    },
    client_id: { label: texts.clientId, missing: texts.clientIdMissing },
    client_secret: { label: texts.secret, help: isNew ? texts.secretHelp : texts.secretKept, isSecret: true },
  },
});

/**
 * The callback address of a provider with this name.
 * @shape template: of the service, with `{provider}` in place of the name; -> undefined as long as the name is not valid
 */
export const callbackOf = (template: string | undefined, name: string): string | undefined =>
  new RegExp(PROVIDER_SCHEMA.name.pattern ?? "").test(name.trim())
    ? template?.replace("{provider}", name.trim())
    : undefined;
