import {
  isObject,
  memberOf,
  matchesSchema,
  schemaErrors,
  OAuthConfig,
  type OAuthIntegration,
  type PlatformVersion,
} from "@parley/contract";
import { withFix, type FindingWithPath, type JsonEdit } from "../../model/finding.ts";
import { misfitPath, misfitMessage } from "../../model/json.ts";
import { createFinding } from "../../model/rules.ts";
import { schemaFix } from "../../model/schema-fix.ts";
import { misspeltMembers } from "../../model/similar-name.ts";
import { privateHostRules } from "./refused-hosts.ts";

export const OAUTH_CONFIG_FILE = "config/oauth_config.json";

/** Name of the only integration of a 2.x app. @assumed An app of 2.x gives its integration no name, so that it is called `default`. */
const DEFAULT_INTEGRATION = "default";

export interface OAuthRead {
  readonly oauth?: OAuthConfig;
  readonly findings: readonly FindingWithPath[];
}

/** Members that public apps leave empty, because they belong to the operator. */
const CLIENT_CREDENTIALS = ["client_id", "client_secret"] as const satisfies readonly (keyof OAuthIntegration)[];

const emptyCredentials = (integration: unknown) =>
  isObject(integration) ? CLIENT_CREDENTIALS.filter((name) => integration[name] === "") : [];

/** Fills in empty members, so that all other members can be validated. */
const withCredentials = (integration: unknown): unknown =>
  isObject(integration)
    ? { ...integration, ...Object.fromEntries(emptyCredentials(integration).map((name) => [name, "-"])) }
    : integration;

/** Edits with paths in the file, which has fewer levels if the integration has no name. */
const inFile = (edits: readonly JsonEdit[], prefix: number): JsonEdit[] =>
  edits.map((edit) => (edit.kind === "replace" ? edit : { ...edit, at: edit.at.slice(prefix) }));

/** The misspelt key of the integrations. */
const keyFix = (json: unknown): JsonEdit[] =>
  isObject(json)
    ? misspeltMembers(Object.keys(json), ["integrations"])
        .filter(({ name }) => isObject(json[name]))
        .map(({ name, meant }) => ({ kind: "rename", at: [name], name: meant }))
    : [];

/**
 * Validates `config/oauth_config.json`, which up to 2.3 contains one integration without a name.
 * @assumed Empty client ids and secrets cause a warning, because public apps leave them empty.
 */
export const readOAuth = (json: unknown, version: PlatformVersion): OAuthRead => {
  const isFlat = isObject(json) && json["integrations"] === undefined && version < "3";
  const config: unknown = isFlat ? { integrations: { [DEFAULT_INTEGRATION]: json } } : json;
  if (!isObject(config) || !isObject(config["integrations"]))
    return {
      findings: [createFinding("oauth-integrations", OAUTH_CONFIG_FILE, {}, { at: [], ...withFix(keyFix(json)) })],
    };
  const integrations = Object.entries(config["integrations"]);
  const prefix = isFlat ? 2 : 0;
  const withAllCredentials = {
    ...config,
    integrations: Object.fromEntries(integrations.map(([name, one]) => [name, withCredentials(one)])),
  };
  const findings = [
    ...(integrations.length === 0
      ? [createFinding("oauth-integrations", OAUTH_CONFIG_FILE, {}, { at: ["integrations"] })]
      : []),
    ...schemaErrors(OAuthConfig, withAllCredentials).map((misfit) => {
      const at = misfitPath(misfit).slice(prefix);
      const place = at.map((name) => `/${name}`).join("");
      return createFinding(
        "oauth-shape",
        OAUTH_CONFIG_FILE,
        { place, text: misfitMessage(misfit) },
        { at, ...withFix(inFile(schemaFix(OAuthConfig, withAllCredentials, misfit), prefix)) },
      );
    }),
    ...integrations.flatMap(([name, one]) =>
      (["authorize_url", "token_url"] as const)
        .filter((member) => /^\s*http:/i.test(String(memberOf(one, member))))
        .map((member) =>
          createFinding(
            "oauth-https",
            OAUTH_CONFIG_FILE,
            { name: member },
            { at: ["integrations", name, member].slice(prefix) },
          ),
        ),
    ),
    ...integrations.flatMap(([name, one]) => {
      // The browser opens authorize_url, which may therefore have a private host.
      const address: unknown = memberOf(one, "token_url");
      const at = ["integrations", name, "token_url"].slice(prefix);
      return typeof address === "string" ? privateHostRules(OAUTH_CONFIG_FILE, address, at) : [];
    }),
    ...integrations.flatMap(([name, one]) =>
      emptyCredentials(one).map((member) =>
        createFinding(
          "oauth-empty",
          OAUTH_CONFIG_FILE,
          { name: member },
          { at: ["integrations", name, member].slice(prefix) },
        ),
      ),
    ),
  ];
  return matchesSchema(OAuthConfig, withAllCredentials) ? { oauth: config as OAuthConfig, findings } : { findings };
};
