import {
  NOT_FOUND,
  PROFILE_PATH,
  refuse,
  sessionCookieOf,
  SIGN_IN_PATH,
  UNSUPPORTED_MEDIA_TYPE,
  type PageAddressOf,
} from "@parley/contract";
import type { FastifyRequest } from "fastify";
import type { MountRoutes } from "../../http/area-module.ts";
import { builtFiles } from "../../http/built-files.ts";
import { html, type Markup } from "../../http/html.ts";
import { checkOrigin } from "../edge/session-admission.ts";
import { newSessionCookie } from "../authentication/routes.ts";
import type { SignIn, SignInSource } from "../authentication/sign-in/sign-in.ts";
import { accountOfHost } from "../edge/host.ts";
import { signInErrorPage } from "./error-page.ts";
import { nextPathOf } from "./next-path.ts";
import { readSignInShell, SIGN_IN_PAGE_HEADERS } from "./page-shell.ts";

interface SignInPagesDeps {
  readonly signIn: Pick<SignIn, "byLink">;
  readonly pageAddressOf: PageAddressOf;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
  /** Folder of the built pages: `sign-in.html`, and hashed files below `assets/`. */
  readonly signInFolder: string;
}

/** @units bytes */
const FORM_BYTES_MAX = 8_192;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/** -> the fields of a form @errors UNSUPPORTED_MEDIA_TYPE */
const formOf = ({ headers, body }: FastifyRequest): URLSearchParams =>
  FORM_TYPE.test(headers["content-type"] ?? "")
    ? new URLSearchParams((body as Buffer | undefined)?.toString("utf8") ?? "")
    : refuse(UNSUPPORTED_MEDIA_TYPE);

const sourceOf = ({ headers, ip }: FastifyRequest, pageAddressOf: PageAddressOf): SignInSource => ({
  address: ip,
  userAgent: headers["user-agent"] ?? "",
  previousCookie: sessionCookieOf(headers, pageAddressOf(headers.host)),
});

/** -> the value of a parameter that is sent once */
const parameterOf = ({ query }: FastifyRequest, name: string): string | undefined => {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value : undefined;
};

/**
 * The page of a link that signs in. It is the same for every secret, and only its form uses the link: programs that preview links request
 * them too.
 */
const linkForm = (secret: string, next: string | undefined): Markup =>
  html`<p class="lead">You opened a link for signing in. It works once.</p>
    <form method="post" action="${SIGN_IN_PATH}/link">
      <input type="hidden" name="secret" value="${secret}" />
      ${next === undefined ? "" : html`<input type="hidden" name="next" value="${next}" />`}
      <button class="main" type="submit">Sign in</button>
    </form>
    <p class="hint">Did somebody else send you this link unasked? Then don’t use it.</p>`;

/** Mounts the pages where agents sign in and manage their own access. */
export const signInPagesMount =
  ({ signIn, pageAddressOf, domain, signInFolder }: SignInPagesDeps): MountRoutes =>
  async (app, onRequest) => {
    const shell = await readSignInShell(signInFolder);
    const options = { onRequest, config: { errorPage: signInErrorPage(shell) } };
    await app.register(builtFiles({ folder: signInFolder, path: SIGN_IN_PATH, onRequest }));

    const addPage = (path: string, view: (request: FastifyRequest) => string) =>
      app.get(path, options, async (request, reply) => reply.headers(SIGN_IN_PAGE_HEADERS).send(view(request)));
    const scripted = (request: FastifyRequest) =>
      shell.scripted({
        account: accountOfHost(request.headers.host, domain) ?? "",
        next: nextPathOf(parameterOf(request, "next")) ?? "",
      });
    for (const path of [SIGN_IN_PATH, `${SIGN_IN_PATH}/forgot`, `${SIGN_IN_PATH}/password`, PROFILE_PATH])
      addPage(path, scripted);
    // Any text is accepted here, so that the page says nothing about a link.
    addPage(`${SIGN_IN_PATH}/link/:secret`, (request) =>
      shell.plain(
        "Sign in",
        linkForm((request.params as { readonly secret: string }).secret, nextPathOf(parameterOf(request, "next"))),
      ),
    );
    addPage(`${SIGN_IN_PATH}/*`, () => refuse(NOT_FOUND));
    // After a failed form, the address of the page is that of the form.
    app.get(`${SIGN_IN_PATH}/link`, options, async (_, reply) => reply.redirect(SIGN_IN_PATH));

    app.post(`${SIGN_IN_PATH}/link`, { ...options, bodyLimit: FORM_BYTES_MAX }, async (request, reply) => {
      checkOrigin(request, pageAddressOf);
      const form = formOf(request);
      const signedIn = await signIn.byLink(form.get("secret") ?? "", sourceOf(request, pageAddressOf));
      const cookie = newSessionCookie(signedIn, request.headers.host, pageAddressOf);
      if (cookie !== undefined) void reply.header("set-cookie", cookie);
      return reply
        .headers(SIGN_IN_PAGE_HEADERS)
        .send(shell.handOver(signedIn.secrets.token, form.get("next") ?? undefined));
    });
  };
