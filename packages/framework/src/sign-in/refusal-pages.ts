import { SIGN_IN_PATH, type SessionAgent } from "@parley/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import Handlebars from "handlebars";
import { sourceText } from "../environment/assets.ts";
import { appTitle } from "../model/project.ts";
import { PAGE_HEADERS } from "../pages/page-guard.ts";
import { isNavigation } from "./page-requests.ts";

/** Why a page is not shown, and what its reader can do. */
interface SignInRefusal {
  readonly status: 401 | 403 | 503;
  readonly heading: string;
  readonly reason: string;
  readonly advice: string;
  /** "" for no link */
  readonly link: string;
  readonly linkText: string;
}

/** Allows no scripts. */
const SIGN_IN_PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** Loads the page that is shown instead of one that needs a session. All text is escaped. */
const loadSignInPage = async (): Promise<(app: string, refusal: SignInRefusal) => string> => {
  const page = Handlebars.create().compile<SignInRefusal & { app: string; initial: string }>(
    await sourceText("sign-in/refusal-page.hbs"),
    { strict: true, knownHelpersOnly: true },
  );
  return (app, refusal) => {
    const title = appTitle(app);
    return page({ app: title, initial: title.charAt(0), ...refusal });
  };
};

/** @units seconds */
const RETRY_AFTER = 5;

type SendRefusal = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Replies to requests that are not admitted: a page for a person who opens a page, JSON for other requests. */
interface RefusalPages {
  /** @shape reason, advice: sentences */
  signedOut(request: FastifyRequest, reply: FastifyReply, reason: string, advice: string): FastifyReply;
  readonly unverifiable: SendRefusal;
  forbidden(request: FastifyRequest, reply: FastifyReply, fault: string, agent: SessionAgent): FastifyReply;
  /** The request came from a page of another origin. */
  readonly foreign: SendRefusal;
}

interface RefusalPagesDeps {
  /** Origin of the service's pages in browsers, where agents sign in. */
  readonly serviceOrigin: string;
  /** Name that the pages show. */
  readonly title: () => string;
}

export const loadRefusalPages = async ({ serviceOrigin, title }: RefusalPagesDeps): Promise<RefusalPages> => {
  const page = await loadSignInPage();
  const link = serviceOrigin + SIGN_IN_PATH;

  const sendRefusal = (request: FastifyRequest, reply: FastifyReply, refusal: SignInRefusal): FastifyReply => {
    void reply.code(refusal.status).headers({ ...PAGE_HEADERS, "content-security-policy": SIGN_IN_PAGE_POLICY });
    if (refusal.status === 503) void reply.header("retry-after", RETRY_AFTER);
    if (!isNavigation(request)) return reply.send({ message: `${refusal.reason} ${refusal.advice}` });
    return reply.type("text/html; charset=utf-8").send(page(title(), refusal));
  };

  return {
    signedOut: (request, reply, reason, advice) =>
      sendRefusal(request, reply, {
        status: 401,
        heading: "Sign in",
        reason,
        advice: `Sign in at ${link}, then ${advice}.`,
        link,
        linkText: "Sign in",
      }),
    unverifiable: (request, reply) =>
      sendRefusal(request, reply, {
        status: 503,
        heading: "The service does not answer",
        reason: "The service that knows who is signed in can't be asked at present.",
        advice: `Reload this page in ${RETRY_AFTER} seconds. You need not sign in again.`,
        link: "",
        linkText: "",
      }),
    forbidden: (request, reply, fault, agent) =>
      sendRefusal(request, reply, {
        status: 403,
        heading: "You can't open this page",
        reason: `${fault} You are signed in as ${agent.email}.`,
        advice: "Ask an admin of the account, or sign in as another agent.",
        link,
        linkText: "Sign in as another agent",
      }),
    foreign: (_request, reply) =>
      reply
        .code(403)
        .headers({ ...PAGE_HEADERS, "content-security-policy": SIGN_IN_PAGE_POLICY })
        .send({ message: "Only pages of this host may ask this. Open the page itself." }),
  };
};
