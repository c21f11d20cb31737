import {
  isObject,
  matchesSchema,
  schemaErrors,
  OAuthConfig,
  type OAuthIntegration,
  type PlatformVersion,
} from "@parley/contract";
import type { FoundDetail } from "../model/finding.ts";
import { misfitPath, misfitMessage } from "../model/json.ts";
import { found } from "../model/rules.ts";

export const OAUTH = "config/oauth_config.json";

/** What the one integration of a 2.x app is called. @assumed it has no name of its own */
const ONLY_INTEGRATION = "default";

export interface OAuthRead {
  readonly oauth?: OAuthConfig;
  readonly findings: readonly FoundDetail[];
}

/** What a public app leaves empty, since it belongs to who runs it. */
const SECRETS = ["client_id", "client_secret"] as const satisfies readonly (keyof OAuthIntegration)[];

const emptyIn = (integration: unknown) =>
  isObject(integration) ? SECRETS.filter((name) => integration[name] === "") : [];

/** Stands in for what is empty, so that the rest can be judged. */
const filled = (integration: unknown): unknown =>
  isObject(integration)
    ? { ...integration, ...Object.fromEntries(emptyIn(integration).map((name) => [name, "-"])) }
    : integration;

/**
 * Reads `config/oauth_config.json`, up to 2.3 one integration without a name.
 * @assumed Empty client ids and secrets are a warning: apps are published so
 */
export const readOAuth = (json: unknown, version: PlatformVersion): OAuthRead => {
  const isFlat = isObject(json) && json["integrations"] === undefined && version < "3";
  const config: unknown = isFlat ? { integrations: { [ONLY_INTEGRATION]: json } } : json;
  if (!isObject(config) || !isObject(config["integrations"]))
    return { findings: [found("oauth-integrations", OAUTH, {}, { at: [] })] };
  const integrations = Object.entries(config["integrations"]);
  const prefix = isFlat ? 2 : 0;
  const whole = { ...config, integrations: Object.fromEntries(integrations.map(([name, one]) => [name, filled(one)])) };
  const findings = [
    ...(integrations.length === 0 ? [found("oauth-integrations", OAUTH, {}, { at: ["integrations"] })] : []),
    ...schemaErrors(OAuthConfig, whole).map((misfit) => {
      const at = misfitPath(misfit).slice(prefix);
      const place = at.map((name) => `/${name}`).join("");
      return found("oauth-shape", OAUTH, { place, text: misfitMessage(misfit) }, { at });
    }),
    ...integrations.flatMap(([name, one]) =>
      emptyIn(one).map((member) =>
        found("oauth-empty", OAUTH, { name: member }, { at: ["integrations", name, member].slice(prefix) }),
      ),
    ),
  ];
  return matchesSchema(OAuthConfig, whole) ? { oauth: config as OAuthConfig, findings } : { findings };
};
