import { isRefusal, PROFILE_PATH, SIGN_IN_PATH } from "@parley/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { MountRoutes } from "../edge/http-server.ts";
import { providerSignInPath, type CallbackUrls } from "../identity/callback-url.ts";
import { ProviderSignInFailure } from "../identity/oidc/failure.ts";
import { FLOW_COOKIE, FLOW_LIFETIME_MS } from "../identity/oidc/flow.ts";
import type { ProviderSignIn } from "../identity/oidc/provider-sign-in.ts";
import { accountOfHost, newSessionCookie } from "../identity/routes.ts";
import { protectedCookie, protectedCookieOf, sessionCookieOf, type PageAddressOf } from "@parley/contract";
import { nextPathOf } from "./browser/next-path.ts";
import { handOverPage } from "./hand-over.ts";

interface ProviderSignInMountDeps {
  readonly signIn: ProviderSignIn;
  readonly callbackUrls: Pick<CallbackUrls, "ofPage" | "pageOrigin">;
  readonly pageAddressOf: PageAddressOf;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
}

const HTML_TYPE = "text/html; charset=utf-8";
/** The address of a callback contains the code of the provider: no page that follows learns it. */
const HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;
/** Everything is loaded from this host; inline scripts and styles are forbidden. `data:` is for the icon. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
/** A longer path would not fit into the cookie of the sign-in. @units characters */
const MAX_NEXT_LENGTH = 1_024;

/** The same text for all failures, so that it does not tell what exists. */
const FAILED = "The sign-in by the identity provider did not succeed. Sign in again, or ask an admin of the account.";
const NO_AGENT = "The identity provider signed you in, but no agent of this account has this identity.";

/** @shape account: as the address names it */
const failurePage = (text: string, account: string | undefined): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Sign-in failed · Parley</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${SIGN_IN_PATH}/page.css">
</head>
<body class="narrow">
<header class="brand"><span class="mark" aria-hidden="true">P</span> Parley</header>
<main>
<div class="card">
<h1>Sign-in failed</h1>
<p class="lead">${text}</p>
<p class="after"><a href="${SIGN_IN_PATH}${account === undefined ? "" : `?account=${account}`}">Go to the sign-in</a></p>
</div>
</main>
</body>
</html>
`;

const pageOfError = (
  error: unknown,
): { readonly code: number; readonly text: string; readonly retryAfter?: number } => {
  if (error instanceof ProviderSignInFailure)
    return error.isConfirmed ? { code: 403, text: NO_AGENT } : { code: 400, text: FAILED };
  // Too many attempts.
  if (isRefusal(error) && error.problem.code === 429)
    return {
      code: 429,
      text: error.message,
      ...(error.retryAfter !== undefined && { retryAfter: error.retryAfter }),
    };
  throw error;
};

/** Names of accounts are such texts. Anything else is not repeated. */
const ACCOUNT_NAME = /^[a-z0-9-]{1,63}$/;

const sendFailure = (reply: FastifyReply, error: unknown, account: string | undefined): FastifyReply => {
  const { code, text, retryAfter } = pageOfError(error);
  if (retryAfter !== undefined) reply.header("retry-after", retryAfter);
  return reply
    .code(code)
    .headers({ ...HEADERS, "content-type": HTML_TYPE, "content-security-policy": POLICY })
    .send(failurePage(text, account !== undefined && ACCOUNT_NAME.test(account) ? account : undefined));
};

/** -> a parameter that the request has once */
const parameter = (query: string, name: string): string | undefined => {
  const values = new URLSearchParams(query).getAll(name);
  return values.length === 1 ? values[0] : undefined;
};

const queryOf = ({ originalUrl }: FastifyRequest): string => {
  const at = originalUrl.indexOf("?");
  return at === -1 ? "" : originalUrl.slice(at + 1);
};

interface ProviderRoute {
  readonly Params: { readonly provider: string; readonly account?: string };
}
type ProviderRequest = FastifyRequest<ProviderRoute>;

/** Mounts the two addresses of the sign-in by an identity provider: where it begins, and where the provider sends the browser back to. */
export const providerSignInMount =
  ({ signIn, callbackUrls, pageAddressOf, domain }: ProviderSignInMountDeps): MountRoutes =>
  (app, onRequest) => {
    const begin = async (request: ProviderRequest, reply: FastifyReply) => {
      const { host } = request.headers;
      const query = queryOf(request);
      const { provider } = request.params;
      const account = accountOfHost(host, domain) ?? parameter(query, "account")?.toLowerCase() ?? "";
      try {
        const redirectUri = callbackUrls.ofPage(host, { account, name: provider });
        if (redirectUri === undefined)
          throw new ProviderSignInFailure("the Host header is not an address of this service: set PARLEY_PUBLIC_URL");
        const next = nextPathOf(parameter(query, "next")) ?? PROFILE_PATH;
        const begun = await signIn.begin(
          { account, provider, redirectUri, next: next.length > MAX_NEXT_LENGTH ? PROFILE_PATH : next },
          { address: request.ip },
        );
        return reply
          .headers({ ...HEADERS, location: begun.location })
          .header(
            "set-cookie",
            protectedCookie(pageAddressOf(host), FLOW_COOKIE, begun.cookie, FLOW_LIFETIME_MS / 1_000),
          )
          .code(303)
          .send();
      } catch (error) {
        return sendFailure(reply, error, account);
      }
    };

    const finish = async (request: ProviderRequest, reply: FastifyReply) => {
      const { headers } = request;
      const page = pageAddressOf(headers.host);
      const cleared = protectedCookie(page, FLOW_COOKIE, "", 0);
      const { provider, account } = request.params;
      const path = `${providerSignInPath(provider)}/callback${account === undefined ? "" : `/${account}`}`;
      try {
        const { signedIn, next } = await signIn.finish(
          {
            address: (callbackUrls.pageOrigin(headers.host) ?? page.origin) + path,
            query: queryOf(request),
            cookie: protectedCookieOf(headers, page, FLOW_COOKIE),
          },
          {
            address: request.ip,
            userAgent: headers["user-agent"] ?? "",
            previousCookie: sessionCookieOf(headers, page),
          },
        );
        if (!("secrets" in signedIn)) throw new ProviderSignInFailure("the session did not begin");
        return reply
          .headers({
            ...HEADERS,
            "content-type": HTML_TYPE,
            "content-security-policy": POLICY,
          })
          .header("set-cookie", [cleared, newSessionCookie(signedIn, headers.host, pageAddressOf) ?? ""])
          .send(handOverPage(signedIn.secrets.token, next));
      } catch (error) {
        return sendFailure(reply.header("set-cookie", cleared), error, account);
      }
    };

    const path = providerSignInPath(":provider");
    const options = { onRequest, exposeHeadRoute: false };
    app.get<ProviderRoute>(path, options, begin);
    app.get<ProviderRoute>(`${path}/callback`, options, finish);
    app.get<ProviderRoute>(`${path}/callback/:account`, options, finish);
  };
