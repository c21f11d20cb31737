import {
  CONVERSATION_NOT_FOUND,
  FORBIDDEN,
  refuse,
  SIGNED_IDENTITY_REQUIRED,
  TOO_MANY_REQUESTS,
  VISITOR_TOKEN_PREFIX,
  type Access,
} from "@parley/contract";
import type { FastifyRequest } from "fastify";
import type { FailedAuthenticationLimit } from "../allowance/failed-authentication.ts";
import type { WindowLimit } from "../allowance/window-limit.ts";
import type { VisitorSessions } from "../authentication/visitors/visitor-sessions.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { ApiCaller, CallerVisitor } from "../../http/route-handlers.ts";
import { refuseUnauthenticated } from "./failed-authentication.ts";
import type { HostCheck } from "./host.ts";

interface VisitorAdmissionDeps extends Pick<Ports, "now"> {
  readonly visitors: Pick<VisitorSessions, "find" | "forget">;
  /** -> whether a conversation, by its id or number, is the user's own */
  readonly ownsConversation: (accountId: number, userId: string, conversationId: string) => Promise<boolean>;
  readonly limit: WindowLimit;
  readonly guard: FailedAuthenticationLimit;
  readonly checkAddress: HostCheck;
}

/**
 * Admits or refuses a request by the token of a visitor's session: the limit of the session, the account of the address, the signed identity if
 * the account requires one, and the conversation of the path, which must be the visitor's own.
 * @errors UNAUTHENTICATED, TOO_MANY_REQUESTS, FORBIDDEN, NOT_FOUND, SIGNED_IDENTITY_REQUIRED, CONVERSATION_NOT_FOUND
 */
export function createVisitorAdmission(deps: VisitorAdmissionDeps) {
  const { visitors, ownsConversation, limit, guard, checkAddress, now } = deps;
  const reject = refuseUnauthenticated(
    guard,
    "The visitor's session is unknown, expired or ended. Begin a new session.",
  );

  const isSigned = ({ isSignatureRequired, signedUntil }: CallerVisitor): boolean =>
    !isSignatureRequired || (signedUntil !== undefined && signedUntil > now());

  return {
    /** Whether a bearer token is meant as that of a visitor. */
    isVisitor: (token: string): boolean => token.startsWith(VISITOR_TOKEN_PREFIX),
    async admit(request: FastifyRequest, { visitor: reach }: Access, token: string): Promise<ApiCaller> {
      let caller = (await visitors.find(token)) ?? reject(request);
      request.rateLimit = limit(caller.credentialId);
      if (!request.rateLimit.allowed)
        refuse(
          TOO_MANY_REQUESTS,
          "The visitor sends more requests than the limit. Retry after the time in the Retry-After header.",
        );
      checkAddress(request, caller.account);
      if (!reach) return refuse(FORBIDDEN, "A visitor of the messenger can't send this request.");
      if (reach !== "session" && !isSigned(caller.visitor)) {
        // Another process may have signed the session within the second for which this one keeps it.
        visitors.forget(token);
        caller = (await visitors.find(token)) ?? reject(request);
        if (!isSigned(caller.visitor)) refuse(SIGNED_IDENTITY_REQUIRED);
      }
      const { conversation_id } = request.params as Readonly<Record<string, string | undefined>>;
      if (
        reach === "conversation" &&
        !(await ownsConversation(caller.account.id, caller.visitor.userId, conversation_id ?? ""))
      )
        return refuse(CONVERSATION_NOT_FOUND);
      return caller;
    },
  };
}
export type VisitorAdmission = ReturnType<typeof createVisitorAdmission>;
