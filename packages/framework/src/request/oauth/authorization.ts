import { createHash } from "node:crypto";
import type { OAuthConfig, OAuthIntegration } from "@parley/contract";
import { EgressFailure, type Egress, type HostOverrides } from "@parley/egress";
import type { Log } from "@parley/telemetry";
import type { HostPorts } from "../../environment/ports.ts";
import { RefusedWithStatus } from "../../model/app-refused.ts";
import { SubstitutionFailed } from "../../model/templates/substitute.ts";
import { TemplateError } from "../../model/templates/template.ts";
import { exchangeToken, TokenExchangeFailed } from "./exchange.ts";
import { type OAuthGrants, grantOf } from "./tokens.ts";
import { oauthClientOf, displayName, type OAuthClient } from "./integration.ts";

/** Callback paths, to which providers redirect. Other app hosts use the first URL, so that it is registered with providers. */
export const CALLBACK_PATHS = ["/auth/callback", "/oauth/callback"] as const;

/** An authorisation cannot be started or completed. The message is shown on the page. */
export class AuthorizationFailed extends RefusedWithStatus {
  override readonly name = "AuthorizationFailed";
}

/** The person who authorises. */
interface AuthorizationRequester {
  /** Secret cookie of the person's browser. */
  readonly browser: string;
  readonly agent: string | undefined;
}

export interface Authorization {
  /** -> URL to redirect the browser to. @errors AuthorizationFailed */
  begin(name: string, requester: AuthorizationRequester, oauthIparams: Readonly<Record<string, string>>): string;
  /** Handles the provider's redirect. -> display name of the integration. @errors AuthorizationFailed */
  end(query: Readonly<Record<string, unknown>>, browser: string | undefined): Promise<string>;
}

export interface AuthorizationDeps {
  readonly config: () => OAuthConfig | undefined;
  readonly grants: OAuthGrants;
  readonly egress: Pick<Egress, "check" | "send">;
  readonly routes: HostOverrides;
  readonly ports: Pick<HostPorts, "now" | "random">;
  /** Name of the account. */
  readonly account: string;
  /** Origin of the app's site in browsers, to which providers redirect. */
  readonly siteOrigin: () => string;
  /** Name of the app. */
  readonly app: string;
  readonly log: Log;
}

interface PendingAuthorization {
  readonly name: string;
  readonly requester: AuthorizationRequester;
  readonly oauthIparams: Readonly<Record<string, string>>;
  readonly verifier: string | undefined;
  readonly redirectUri: string;
  /** @units milliseconds */
  readonly expires: number;
}

/** Time limit for a person to complete the authorisation at the provider. @units milliseconds */
const AUTHORIZATION_TIMEOUT_MS = 10 * 60_000;
/** Maximum pending authorisations. Beyond that the oldest one is dropped. */
const PENDING_AUTHORIZATIONS_MAX = 100;
/** @units bytes */
const SECRET_BYTES = 32;
/** Options that the host evaluates and does not forward to the provider. */
const HOST_OPTIONS = ["pkce", "redirect_uri", "redirect_uris", "code_challenge_method"];

const isPkce = ({ options = {} }: OAuthIntegration): boolean =>
  options["pkce"] === true || options["code_challenge_method"] === "S256";

/** @assumed An option that is a list of texts is sent as one text with spaces between, as scopes are. */
const optionText = (value: unknown): string | undefined => {
  if (Array.isArray(value))
    return value.every((authorization) => typeof authorization === "string") ? value.join(" ") : undefined;
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined;
};

/** The callback URL that is registered with the provider, if the configuration names a URL; otherwise the default. */
const callbackOf = ({ options = {} }: OAuthIntegration, origin: string): string => {
  const named = [options["redirect_uri"], options["redirect_uris"]].flat();
  const found = CALLBACK_PATHS.map((path) => origin + path).find((address) => named.includes(address));
  return found ?? origin + CALLBACK_PATHS[0];
};

export const createAuthorization = (deps: AuthorizationDeps): Authorization => {
  const pending = new Map<string, PendingAuthorization>();
  const newSecret = () => deps.ports.random(SECRET_BYTES).toString("base64url");

  const integrationOf = (name: string): OAuthIntegration => {
    const integrations = deps.config()?.integrations ?? {};
    const integration = Object.hasOwn(integrations, name) ? integrations[name] : undefined;
    if (integration) return integration;
    throw new AuthorizationFailed(404, `config/oauth_config.json has no integration '${name}'.`);
  };

  const clientFor = (integration: OAuthIntegration, oauthIparams: Readonly<Record<string, string>>): OAuthClient => {
    try {
      return oauthClientOf(integration, oauthIparams);
    } catch (error) {
      if (error instanceof SubstitutionFailed || error instanceof TemplateError)
        throw new AuthorizationFailed(400, `config/oauth_config.json can't be filled in: ${error.message}.`);
      throw error;
    }
  };

  /** URL of the provider's page, or of the local stand-in that its host is mapped to. */
  const pageOf = ({ authorizeUrl }: OAuthClient): URL => {
    if (!/^https:/i.test(authorizeUrl))
      throw new AuthorizationFailed(400, "authorize_url: Invalid URL - Must be HTTPS.");
    try {
      deps.egress.check(authorizeUrl);
    } catch (error) {
      if (error instanceof EgressFailure) throw new AuthorizationFailed(400, `authorize_url: ${error.message}.`);
      throw error;
    }
    const url = new URL(authorizeUrl);
    const mapped = deps.routes.get(url.hostname);
    return mapped ? new URL(`${mapped.origin}${url.pathname}${url.search}`) : url;
  };

  const keep = (state: string, authorization: PendingAuthorization): void => {
    pending.set(state, authorization);
    for (const oldest of pending.keys()) {
      if (pending.size <= PENDING_AUTHORIZATIONS_MAX) break;
      pending.delete(oldest);
    }
  };

  /** A state is valid once, until it expires, and only for the browser for which it was created. */
  const take = (state: unknown, browser: string | undefined): PendingAuthorization => {
    const found = typeof state === "string" ? pending.get(state) : undefined;
    const isOwn = found !== undefined && browser !== undefined && found.requester.browser === browser;
    if (isOwn) pending.delete(String(state));
    const now = deps.ports.now().getTime();
    if (isOwn && now < found.expires) return found;
    throw new AuthorizationFailed(400, "This authorisation was not begun here, or has ended. Begin it again.");
  };

  return {
    begin(name, requester, oauthIparams) {
      const integration = integrationOf(name);
      if (integration.token_type === "agent" && !requester.agent)
        throw new AuthorizationFailed(400, "Each agent authorises this connection: begin on a page of the app.");
      const client = clientFor(integration, oauthIparams);
      if (client.clientId === "")
        throw new AuthorizationFailed(
          400,
          "client_id of config/oauth_config.json is empty. Fill it in, then try again.",
        );
      const page = pageOf(client);
      const redirectUri = callbackOf(integration, deps.siteOrigin());
      const state = newSecret();
      const verifier = isPkce(integration) ? newSecret() : undefined;
      const expires = deps.ports.now().getTime() + AUTHORIZATION_TIMEOUT_MS;
      keep(state, { name, requester, oauthIparams, verifier, redirectUri, expires });
      for (const [option, value] of Object.entries(integration.options ?? {})) {
        const text = HOST_OPTIONS.includes(option) ? undefined : optionText(value);
        if (text !== undefined) page.searchParams.set(option, text);
      }
      const own = { response_type: "code", client_id: client.clientId, redirect_uri: redirectUri, state };
      for (const [parameter, value] of Object.entries(own)) page.searchParams.set(parameter, value);
      if (verifier !== undefined) {
        page.searchParams.set("code_challenge", createHash("sha256").update(verifier).digest("base64url"));
        page.searchParams.set("code_challenge_method", "S256");
      }
      return page.href;
    },

    async end({ state, code, error }, browser) {
      const { name, requester, oauthIparams, verifier, redirectUri } = take(state, browser);
      const integration = integrationOf(name);
      if (typeof code !== "string" || code === "") {
        const errorCode = typeof error === "string" && /^[\w.-]{1,60}$/.test(error) ? `: ${error}` : "";
        throw new AuthorizationFailed(400, `The provider did not agree${errorCode}.`);
      }
      try {
        const issued = await exchangeToken(deps.egress, clientFor(integration, oauthIparams), {
          grant_type: "authorization_code",
          code,
          redirect_uri: redirectUri,
          ...(verifier === undefined ? {} : { code_verifier: verifier }),
        });
        const agent = integration.token_type === "agent" ? (requester.agent ?? "") : "";
        await deps.grants.save(
          { project: deps.app, account: deps.account, integration: name, agent },
          grantOf(issued, { oauthIparams }, deps.ports.now()),
        );
      } catch (failure) {
        if (!(failure instanceof TokenExchangeFailed)) throw failure;
        deps.log(`${name} could not be authorised: ${failure.message}`, { level: "error" });
        throw new AuthorizationFailed(502, `The provider gave no token: ${failure.message}.`);
      }
      return displayName(name, integration);
    },
  };
};
