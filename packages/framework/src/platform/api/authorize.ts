import { timingSafeEqual, createHash } from "node:crypto";
import { FORBIDDEN, isAtLeast, refuse, SERVICE_UNAVAILABLE, UNAUTHENTICATED } from "@parley/contract";
import { isSameOrigin } from "../../pages/page-guard.ts";
import type { PageSession } from "../../identity/page-session.ts";
import type { PageSessions } from "../../sign-in/page-sessions.ts";
import { admitDelegated, isDelegated, type DelegationRules } from "../delegation/delegation.ts";
import type { AuthorizeRow } from "./serve-rows.ts";

interface AuthorizeDeps {
  readonly adminKey: string;
  readonly sessions: Pick<PageSessions, "sessionOf">;
  /** Whether a page token was issued to the session. */
  readonly isIssued: (token: unknown, session: PageSession) => boolean;
  /** For requests that the service sends for signed-in agents. */
  readonly delegation: DelegationRules;
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/**
 * Admits requests to the platform's rows: with the admin key, with the session of an admin of the account, or from the service for such an
 * admin. A request with a session that changes something needs the exact Origin and the token of the page.
 */
export const createAuthorizeRow = ({ adminKey, sessions, isIssued, delegation }: AuthorizeDeps): AuthorizeRow => {
  const expected = digest(`Bearer ${adminKey}`);
  return async ({ access }, request, account) => {
    const { authorization, origin } = request.headers;
    const author = { address: request.ip };
    if (authorization !== undefined) {
      if (access.adminKey && timingSafeEqual(digest(authorization), expected)) return author;
      return refuse(UNAUTHENTICATED, "The admin key is wrong. It is in the file admin-key of the data folder.");
    }
    if (isDelegated(request)) {
      const { agent, address, bodyDigest } = await admitDelegated(delegation, access, request, account);
      return { agent, address, isSignedBody: (body) => delegation.isSignedBody(body, bodyDigest) };
    }
    const session = await sessions.sessionOf(request);
    if (!session || session.state === "signed-out")
      return refuse(UNAUTHENTICATED, "Send the admin key as a bearer token, or sign in as an admin of the account.");
    if (session.state === "unverifiable")
      return refuse(SERVICE_UNAVAILABLE, "The service can't be asked who is signed in.");
    const { agent, secret } = session;
    if (!isSameOrigin(request) || (request.method !== "GET" && origin === undefined))
      return refuse(FORBIDDEN, "Only pages of this host may ask this with a session.");
    if (request.method !== "GET" && !isIssued(request.headers["x-page-token"], { secret, agent }))
      return refuse(FORBIDDEN, "This page is out of date. Reload it and try again.");
    if (!access.session || account !== agent.account || !isAtLeast(agent.role_id, access.session.role))
      return refuse(FORBIDDEN, "This needs an admin of the account.");
    return { ...author, agent };
  };
};
