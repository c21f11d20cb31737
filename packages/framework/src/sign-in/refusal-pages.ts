import { SIGN_IN_PATH, type SessionAgent } from "@parley/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { PAGE_HEADERS } from "../pages/page-guard.ts";
import { isNavigation } from "./page-requests.ts";
import { loadSignInPage, SIGN_IN_PAGE_POLICY, type SignInRefusal } from "./view.ts";

/** @units seconds */
const RETRY_AFTER = 5;

type SendRefusal = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Replies to requests that are not admitted: a page for a person who opens a page, JSON for other requests. */
export interface RefusalPages {
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

  const refuse = (request: FastifyRequest, reply: FastifyReply, refusal: SignInRefusal): FastifyReply => {
    void reply.code(refusal.status).headers({ ...PAGE_HEADERS, "content-security-policy": SIGN_IN_PAGE_POLICY });
    if (refusal.status === 503) void reply.header("retry-after", RETRY_AFTER);
    if (!isNavigation(request)) return reply.send({ message: `${refusal.reason} ${refusal.advice}` });
    return reply.type("text/html; charset=utf-8").send(page(title(), refusal));
  };

  return {
    signedOut: (request, reply, reason, advice) =>
      refuse(request, reply, {
        status: 401,
        heading: "Sign in",
        reason,
        advice: `Sign in at ${link}, then ${advice}.`,
        link,
        linkText: "Sign in",
      }),
    unverifiable: (request, reply) =>
      refuse(request, reply, {
        status: 503,
        heading: "The service does not answer",
        reason: "The service that knows who is signed in can't be asked at present.",
        advice: `Reload this page in ${RETRY_AFTER} seconds. You need not sign in again.`,
        link: "",
        linkText: "",
      }),
    forbidden: (request, reply, fault, agent) =>
      refuse(request, reply, {
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
