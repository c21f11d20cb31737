import type { OAuthIntegration } from "@parley/contract";
import {
  fillTemplate,
  filledPieces,
  SubstitutionFailed,
  type TemplateSources,
} from "../../model/templates/substitute.ts";

/** An integration with its parameters filled in. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
}

/** An entered value may be a part of the host but may not end it: the remaining literal part determines where the client's secret is sent. */
const addressOf = (text: string, from: TemplateSources): string => {
  let address = "";
  for (const piece of filledPieces(text, "headers", from)) {
    const isInHost = /^https:\/\/[^/?#\\]*$/i.test(address);
    if (piece.isFilled && isInHost && !/^[a-z0-9.-]*$/i.test(piece.text))
      throw new SubstitutionFailed("the typed text is not part of a host name");
    address += piece.text;
  }
  return address;
};

/** @errors SubstitutionFailed, TemplateError */
export const oauthClientOf = (
  integration: OAuthIntegration,
  oauthIparams: Readonly<Record<string, string>>,
): OAuthClient => {
  const from = { values: {}, secrets: {}, context: {}, domain: undefined, isTrusted: true, oauthIparams };
  // Filled in as headers, since the host sends these texts itself and they may contain secrets.
  const filled = (text: string) => fillTemplate(text, "headers", from);
  return {
    clientId: filled(integration.client_id),
    clientSecret: filled(integration.client_secret ?? ""),
    authorizeUrl: addressOf(integration.authorize_url, from),
    tokenUrl: addressOf(integration.token_url, from),
  };
};

/** Display name of an integration. */
export const displayName = (name: string, { display_name, authorize_url }: OAuthIntegration): string => {
  if (display_name !== undefined) return display_name;
  const host = /^https?:\/\/([^/:?#<%]+)/i.exec(authorize_url)?.[1];
  return name === "default" && host !== undefined ? host : name;
};

/** Path on this host that starts the authorisation. */
export const authorizePath = (name: string, agent?: string): string =>
  `/oauth/${encodeURIComponent(name)}/authorize${agent === undefined ? "" : `?agent=${encodeURIComponent(agent)}`}`;

/** Parameters without secure parameters, for use in requests. */
export const openIparams = (
  { oauth_iparams = {} }: OAuthIntegration,
  values: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).filter(([key]) => !(Object.hasOwn(oauth_iparams, key) && oauth_iparams[key]?.secure)),
  );
