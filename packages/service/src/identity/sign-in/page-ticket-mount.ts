import { sessionCookieOf, SIGN_IN_PATH, type PageAddressOf } from "@parley/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { MountRoutes } from "../../http/area-module.ts";
import { html } from "../../http/html.ts";
import type { PageTickets } from "../authentication/page-tickets.sql.ts";
import type { Sessions } from "../authentication/sessions/sessions.ts";
import { createAppPageAddressOf, LOCAL_APPS_URL, type AppPageAddress } from "./app-page-address.ts";
import { signInErrorPage } from "./error-page.ts";
import { nextPathOf } from "./next-path.ts";
import { readSignInShell, SIGN_IN_PAGE_HEADERS } from "./page-shell.ts";

interface PageTicketMountDeps {
  readonly tickets: Pick<PageTickets, "issue">;
  readonly sessions: Pick<Sessions, "find">;
  readonly pageAddressOf: PageAddressOf;
  /** Origin below which apps have host names. */
  readonly appsUrl: string | undefined;
  /** Folder of the built pages. */
  readonly signInFolder: string;
}

/** Path of the address that sends a browser to a page of an app, with a ticket. */
const PAGE_TICKET_PATH = `${SIGN_IN_PATH}/page`;
/** A longer path would be dropped by a sign-in at an identity provider. @units characters */
const NEXT_LENGTH_MAX = 1_024;
/** The address contains a ticket: neither a cache nor a later request contains it. */
const HEADERS = { ...SIGN_IN_PAGE_HEADERS, "referrer-policy": "no-referrer" };

/**
 * Whether the browser opens the address in a tab. Browsers name a frame, a picture or a request of a script in a header that pages can't
 * set; programs and old browsers send no such header.
 */
const isTopLevelNavigation = ({ headers }: FastifyRequest): boolean =>
  (headers["sec-fetch-dest"] ?? "document") === "document";

/** -> the path that returns to a page after the sign-in */
const returnPathOf = ({ origin, path }: AppPageAddress): string => {
  const withPath = (text: string) => `${PAGE_TICKET_PATH}?to=${encodeURIComponent(text)}`;
  const whole = nextPathOf(withPath(origin + path));
  return whole !== undefined && whole.length <= NEXT_LENGTH_MAX ? whole : withPath(`${origin}/`);
};

/**
 * Mounts the address by which pages of apps learn who is signed in: it sends the browser back with a ticket, which the platform exchanges
 * with the admin key. A browser that is not signed in goes to the sign-in first.
 */
export const pageTicketMount =
  ({ tickets, sessions, pageAddressOf, appsUrl, signInFolder }: PageTicketMountDeps): MountRoutes =>
  async (app, onRequest) => {
    const shell = await readSignInShell(signInFolder);
    const sendRefusal = (reply: FastifyReply, code: number, text: string): FastifyReply =>
      reply
        .code(code)
        .headers(HEADERS)
        .send(shell.plain("This page can’t be opened", html`<p class="lead">${text}</p>`));
    const appPageAddressOf = createAppPageAddressOf(appsUrl);
    const options = { onRequest, exposeHeadRoute: false, config: { errorPage: signInErrorPage(shell) } };
    app.get(PAGE_TICKET_PATH, options, async (request, reply) => {
      const { to } = request.query as { readonly to?: unknown };
      const page = typeof to === "string" ? appPageAddressOf(to) : undefined;
      if (!page)
        return sendRefusal(
          reply,
          400,
          `The address names no page of an app: those are at ${appsUrl ?? LOCAL_APPS_URL} and at host names directly below it. Open the app’s page from the start.`,
        );
      if (!isTopLevelNavigation(request))
        return sendRefusal(
          reply,
          403,
          "Another page requested it in a frame or by a script. Open the app’s page in a tab of its own.",
        );
      const session = await sessions.find(sessionCookieOf(request.headers, pageAddressOf(request.headers.host)) ?? "");
      const ticket = session && (await tickets.issue(session.row.id, page.origin));
      return reply
        .headers(HEADERS)
        .redirect(
          ticket === undefined
            ? `${SIGN_IN_PATH}?next=${encodeURIComponent(returnPathOf(page))}`
            : `${page.origin}/enter?ticket=${ticket}&to=${encodeURIComponent(page.path)}`,
        );
    });
  };
