import {
  CONVERSATION_NOT_FOUND,
  FORBIDDEN,
  isAtLeast,
  refuse,
  SESSION_TOKEN,
  sessionCookieOf,
  TOO_MANY_REQUESTS,
  USER_NOT_FOUND,
  type Access,
  type PageAddressOf,
  type SessionAccess,
} from "@parley/contract";
import type { FastifyRequest } from "fastify";
import type { FailedAuthenticationLimit } from "../allowance/failed-authentication.ts";
import type { WindowLimit } from "../allowance/window-limit.ts";
import type { AgentReach } from "../../messaging/conversations/reach.sql.ts";
import type { ApiCaller, CallerAgent } from "../../http/route-handlers.ts";
import type { FoundSession, Sessions } from "../authentication/sessions/sessions.ts";
import { refuseUnauthenticated } from "./failed-authentication.ts";
import type { HostCheck } from "./host.ts";

interface SessionAdmissionDeps {
  readonly sessions: Pick<Sessions, "find">;
  readonly reach: Pick<AgentReach, "conversation" | "user">;
  readonly pageAddressOf: PageAddressOf;
  readonly sessionLimit: WindowLimit;
  readonly guard: FailedAuthenticationLimit;
  readonly checkAddress: HostCheck;
}

const SAFE_METHODS = ["GET", "HEAD"];

/**
 * Refuses a request that a page of another origin sent: cookies are sent by pages of the same site too, such as other ports and hosts below
 * `localhost`. Browsers send the Origin header with each request that changes something.
 * @errors FORBIDDEN
 */
export const checkOrigin = (request: FastifyRequest, pageAddressOf: PageAddressOf): void => {
  const { origin, host } = request.headers;
  const expected = pageAddressOf(host).origin;
  if (origin === expected || (origin === undefined && SAFE_METHODS.includes(request.method))) return;
  refuse(
    FORBIDDEN,
    origin === undefined
      ? `The request must have the header 'Origin: ${expected}'.`
      : `Pages of ${origin.slice(0, 200)} can't send this request: the origin of this service is ${expected}.` +
          (expected.startsWith("https:") && origin.startsWith("http:") ? " Use https outside of this machine." : ""),
  );
};

const INVALID_SESSION = `The session is unknown, expired or ended, or the header ${SESSION_TOKEN} is missing or wrong. Sign in again.`;

/** @errors FORBIDDEN */
const checkRole = ({ role }: SessionAccess, agent: CallerAgent): void => {
  if (!isAtLeast(agent.role_id, role)) refuse(FORBIDDEN, `This needs the role ${role} or a higher role.`);
};

/** @errors FORBIDDEN, CONVERSATION_NOT_FOUND, USER_NOT_FOUND, as for an object that does not exist */
const checkReach = async (
  { reach }: SessionAccess,
  { account, agent }: FoundSession["caller"],
  params: Readonly<Record<string, string | undefined>>,
  within: SessionAdmissionDeps["reach"],
): Promise<void> => {
  switch (reach) {
    case "account":
      return;
    case "some":
      if (agent.scope === "None") refuse(FORBIDDEN, "The agent's scope is None: it reaches no customers.");
      return;
    case "all":
      if (agent.scope !== "Global") refuse(FORBIDDEN, "This needs the scope Global.");
      return;
    case "ownAgent":
      if (params["agent_id"]?.toLowerCase() !== agent.id && !isAtLeast(agent.role_id, "ADMIN"))
        refuse(FORBIDDEN, "This needs the role ADMIN or a higher role, unless the agent is the session's own.");
      return;
    case "conversation":
      if (!(await within.conversation(account.id, agent, params["conversation_id"] ?? "")))
        refuse(CONVERSATION_NOT_FOUND);
      return;
    case "user":
      if (!(await within.user(account.id, agent, params["user_id"] ?? ""))) refuse(USER_NOT_FOUND);
  }
};

/**
 * Admits or refuses a request by its session: the cookie, the token, the origin of the page, the limit of the session, the account of the
 * address, and the role and scope that the row of the contract states.
 * @errors UNAUTHENTICATED, TOO_MANY_REQUESTS, FORBIDDEN, NOT_FOUND, CONVERSATION_NOT_FOUND, USER_NOT_FOUND
 */
export function createSessionAdmission(deps: SessionAdmissionDeps) {
  const { sessions, reach, pageAddressOf, sessionLimit, guard, checkAddress } = deps;
  const reject = refuseUnauthenticated(guard, INVALID_SESSION);

  return {
    /** Whether a request has a session cookie. A request with an Authorization header is not admitted by its cookie. */
    hasSession: ({ headers }: FastifyRequest): boolean =>
      headers.authorization === undefined &&
      headers.cookie !== undefined &&
      sessionCookieOf(headers, pageAddressOf(headers.host)) !== undefined,
    async admit(request: FastifyRequest, { session: needed }: Access): Promise<ApiCaller> {
      const { headers } = request;
      const found = await sessions.find(sessionCookieOf(headers, pageAddressOf(headers.host)) ?? "");
      const token = headers[SESSION_TOKEN.toLowerCase()];
      if (!found || typeof token !== "string" || !found.isToken(token)) return reject(request);
      const { caller } = found;
      request.rateLimit = sessionLimit(caller.credentialId);
      checkOrigin(request, pageAddressOf);
      if (!request.rateLimit.allowed)
        refuse(
          TOO_MANY_REQUESTS,
          "The session sends more requests than its limit. Retry after the time in the Retry-After header.",
        );
      checkAddress(request, caller.account);
      if (!needed) return refuse(FORBIDDEN, "A signed-in agent can't send this request: it needs another credential.");
      const params = request.params as Readonly<Record<string, string | undefined>>;
      if (params["account"] !== undefined && params["account"] !== caller.account.name)
        refuse(FORBIDDEN, "The session belongs to another account than the address.");
      checkRole(needed, caller.agent);
      await checkReach(needed, caller, params, reach);
      return caller;
    },
  };
}
export type SessionAdmission = ReturnType<typeof createSessionAdmission>;
