import { readFile } from "node:fs/promises";
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
import { checkOrigin } from "../edge/session-admission.ts";
import { ASSETS_FOLDER, BUILT_FOLDER } from "../../base/environment/package.ts";
import { newSessionCookie } from "../authentication/routes.ts";
import { accountOfHost } from "../edge/host.ts";

import type { SignIn, SignInSource } from "../authentication/sign-in/sign-in.ts";
import { nextPathOf } from "./browser/next-path.ts";
import { handOverPage } from "./hand-over.ts";
import { signInErrorPage } from "./views/error-view.ts";
import { profileView } from "./views/profile-view.ts";
import { SIGN_IN_PAGE_HEADERS, STYLE_PATH } from "./views/shell.ts";
import { forgotView, linkView, passwordView, signInView } from "./views/sign-in-views.ts";

interface SignInPagesDeps {
  readonly signIn: Pick<SignIn, "byLink">;
  readonly pageAddressOf: PageAddressOf;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
}

/** Scripts of the pages, as the build names them without `-page.js`. */
const SCRIPTS = ["sign-in", "forgot", "password", "hand-over", "profile"] as const;

/** @units bytes */
const FORM_BYTES_MAX = 8_192;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

const ASSET_HEADERS = { "x-content-type-options": "nosniff", "cache-control": "no-cache" };

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

/** Mounts the pages where agents sign in and manage their own access. */
export const signInPagesMount =
  ({ signIn, pageAddressOf, domain }: SignInPagesDeps): MountRoutes =>
  async (app, onRequest) => {
    const options = { onRequest, config: { errorPage: signInErrorPage } };
    const style = await readFile(new URL("sign-in/page.css", ASSETS_FOLDER), "utf8");
    app.get(STYLE_PATH, { onRequest }, async (_, reply) =>
      reply.headers(ASSET_HEADERS).type("text/css; charset=utf-8").send(style),
    );
    for (const name of SCRIPTS) {
      const script = await readFile(new URL(`${name}-page.js`, BUILT_FOLDER), "utf8");
      app.get(`${SIGN_IN_PATH}/${name}.js`, { onRequest }, async (_, reply) =>
        reply.headers(ASSET_HEADERS).type("text/javascript; charset=utf-8").send(script),
      );
    }

    const addPage = (path: string, view: (request: FastifyRequest) => string) =>
      app.get(path, options, async (request, reply) => reply.headers(SIGN_IN_PAGE_HEADERS).send(view(request)));
    const accountOf = ({ headers }: FastifyRequest) => ({ account: accountOfHost(headers.host, domain) });
    addPage(SIGN_IN_PATH, (request) => signInView(accountOf(request)));
    addPage(`${SIGN_IN_PATH}/forgot`, (request) => forgotView(accountOf(request)));
    addPage(`${SIGN_IN_PATH}/password`, passwordView);
    addPage(PROFILE_PATH, profileView);
    // Any text is accepted here, so that the page says nothing about a link.
    addPage(`${SIGN_IN_PATH}/link/:secret`, (request) =>
      linkView({
        secret: (request.params as { readonly secret: string }).secret,
        next: nextPathOf(parameterOf(request, "next")),
      }),
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
        .send(handOverPage(signedIn.secrets.token, form.get("next") ?? undefined));
    });
  };
