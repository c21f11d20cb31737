import {
  CONSOLE_PATH,
  protectedCookie,
  protectedCookieOf,
  sessionCookieOf,
  SIGN_IN_PATH,
  type PageAddressOf,
} from "@parley/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { MountRoutes } from "../../http/area-module.ts";
import { html } from "../../http/html.ts";
import { providerSignInPath, type CallbackUrls } from "../authentication/callback-url.ts";
import { failSignIn, ProviderSignInFailure } from "../authentication/oidc/failure.ts";
import { FLOW_COOKIE, FLOW_LIFETIME_MS } from "../authentication/oidc/flow.ts";
import type { ProviderSignIn } from "../authentication/oidc/provider-sign-in.ts";
import { newSessionCookie } from "../authentication/routes.ts";
import { accountOfHost } from "../edge/host.ts";
import { signInErrorPage } from "./error-page.ts";
import { nextPathOf } from "./next-path.ts";
import { readSignInShell, SIGN_IN_PAGE_HEADERS, type SignInShell } from "./page-shell.ts";

interface ProviderSignInMountDeps {
  readonly signIn: ProviderSignIn;
  readonly callbackUrls: Pick<CallbackUrls, "ofPage" | "pageOrigin">;
  readonly pageAddressOf: PageAddressOf;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
  /** Folder of the built pages. */
  readonly signInFolder: string;
}

/** The address of a callback contains the code of the provider: no request that follows repeats it. */
const HEADERS = { ...SIGN_IN_PAGE_HEADERS, "referrer-policy": "no-referrer" };
/** A longer path would not fit into the cookie of the sign-in. @units characters */
const NEXT_LENGTH_MAX = 1_024;

/** The same text for all failures, so that it does not tell what exists. */
const FAILED = "The sign-in by the identity provider did not succeed. Sign in again, or ask an admin of the account.";
const NO_AGENT =
  "The identity provider signed you in, but no agent of this account has this identity. Ask an admin of the account.";

/** Names of accounts are such texts. Anything else is not repeated. */
const ACCOUNT_NAME = /^[a-z0-9-]{1,63}$/;

/** Answers a failure with a page. Other errors are thrown again. @shape account: as the address names it */
const sendFailure = (
  shell: SignInShell,
  reply: FastifyReply,
  error: unknown,
  account: string | undefined,
): FastifyReply => {
  if (!(error instanceof ProviderSignInFailure)) throw error;
  const query = account !== undefined && ACCOUNT_NAME.test(account) ? `?account=${account}` : "";
  return reply
    .code(error.isConfirmed ? 403 : 400)
    .headers(HEADERS)
    .send(
      shell.plain(
        "Sign-in failed",
        html`<p class="lead">${error.isConfirmed ? NO_AGENT : FAILED}</p>
          <p class="after"><a href="${SIGN_IN_PATH + query}">Go to the sign-in</a></p>`,
      ),
    );
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
  ({ signIn, callbackUrls, pageAddressOf, domain, signInFolder }: ProviderSignInMountDeps): MountRoutes =>
  async (app, onRequest) => {
    const shell = await readSignInShell(signInFolder);
    const begin = async (request: ProviderRequest, reply: FastifyReply) => {
      const { host } = request.headers;
      const query = queryOf(request);
      const { provider } = request.params;
      const account = accountOfHost(host, domain) ?? parameter(query, "account")?.toLowerCase() ?? "";
      try {
        const redirectUri = callbackUrls.ofPage(host, { account, name: provider });
        if (redirectUri === undefined)
          return failSignIn("the Host header is not an address of this service: set PARLEY_PUBLIC_URL");
        const next = nextPathOf(parameter(query, "next")) ?? CONSOLE_PATH;
        const begun = await signIn.begin(
          { account, provider, redirectUri, next: next.length > NEXT_LENGTH_MAX ? CONSOLE_PATH : next },
          { address: request.ip },
        );
        return reply
          .headers({ "cache-control": "no-store", "referrer-policy": "no-referrer", location: begun.location })
          .header(
            "set-cookie",
            protectedCookie(pageAddressOf(host), FLOW_COOKIE, begun.cookie, FLOW_LIFETIME_MS / 1_000),
          )
          .code(303)
          .send();
      } catch (error) {
        return sendFailure(shell, reply, error, account);
      }
    };

    const finish = async (request: ProviderRequest, reply: FastifyReply) => {
      const { headers } = request;
      const page = pageAddressOf(headers.host);
      // A later Set-Cookie header is added to this header.
      reply.header("set-cookie", protectedCookie(page, FLOW_COOKIE, "", 0));
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
        if (!("secrets" in signedIn)) return failSignIn("the session did not begin");
        return reply
          .headers(HEADERS)
          .header("set-cookie", newSessionCookie(signedIn, headers.host, pageAddressOf) ?? "")
          .send(shell.handOver(signedIn.secrets.token, next));
      } catch (error) {
        return sendFailure(shell, reply, error, account);
      }
    };

    const path = providerSignInPath(":provider");
    const options = { onRequest, exposeHeadRoute: false, config: { errorPage: signInErrorPage(shell) } };
    app.get<ProviderRoute>(path, options, begin);
    app.get<ProviderRoute>(`${path}/callback`, options, finish);
    app.get<ProviderRoute>(`${path}/callback/:account`, options, finish);
  };
