import { ACCOUNT_CLOSED, FORBIDDEN, refuse, TOO_MANY_REQUESTS, type Access } from "@parley/contract";
import type { FastifyRequest } from "fastify";
import type { CallAllowance, RateLimitState } from "../allowance/allowance.ts";
import type { FailedAuthenticationLimit } from "../allowance/failed-authentication.ts";
import type { FindCaller } from "../authentication/tokens/callers.ts";
import { bearerTokenOf, refuseUnauthenticated } from "./failed-authentication.ts";
import type { HostCheck } from "./host.ts";
import type { CountCall } from "./method-not-allowed.ts";
import type { ApiCaller } from "../../http/route-handlers.ts";
import type { SessionAdmission } from "./session-admission.ts";
import type { VisitorAdmission } from "./visitor-admission.ts";

export interface AdmissionDeps {
  readonly callers: FindCaller;
  readonly allowance: CallAllowance;
  readonly guard: FailedAuthenticationLimit;
  readonly checkAddress: HostCheck;
}

/**
 * Counts a request to an unknown address or with an unsupported method.
 * @errors TOO_MANY_REQUESTS
 * @assumed Such a request counts as a call of the account like any other.
 */
export const createCallCounter =
  ({ callers, allowance }: Pick<AdmissionDeps, "callers" | "allowance">): CountCall =>
  async (request) => {
    const caller = await callers(bearerTokenOf(request.headers.authorization));
    if (!caller || caller.isAccountClosed) return;
    request.rateLimit = await allowance.count(caller.account);
    if (!request.rateLimit.allowed) refuse(TOO_MANY_REQUESTS);
  };

/**
 * Admits or refuses a request by its token, the calls left in the hour, its address and the permission, or by the session of an agent or a visitor. With a token the
 * result is a promise only if the token or the count must be read from the database, which happens about once a second.
 * @errors UNAUTHENTICATED, ACCOUNT_CLOSED, TOO_MANY_REQUESTS, FORBIDDEN, NOT_FOUND; those of `createSessionAdmission` and `createVisitorAdmission`
 */
export function createAdmission(
  { callers, allowance, guard, checkAddress }: AdmissionDeps,
  sessionAdmission: SessionAdmission,
  visitorAdmission: VisitorAdmission,
) {
  const reject = refuseUnauthenticated(guard);

  const authorize = (
    request: FastifyRequest,
    { token: permission }: Access,
    caller: ApiCaller,
    rateLimit: RateLimitState,
  ) => {
    request.rateLimit = rateLimit;
    if (!rateLimit.allowed) refuse(TOO_MANY_REQUESTS);
    checkAddress(request, caller.account);
    if (permission === undefined) refuse(FORBIDDEN, "An access token can't send this request: sign in as an agent.");
    if (permission && !caller.permissions.has(permission))
      refuse(FORBIDDEN, `The access token does not have the permission ${permission}.`);
    return caller;
  };
  const count = (request: FastifyRequest, access: Access, caller: ApiCaller | undefined) => {
    const authenticated = caller ?? reject(request);
    if (authenticated.isAccountClosed) {
      // Not counted: a closed account has no allowance.
      request.rateLimit = guard.state(request.ip);
      refuse(ACCOUNT_CLOSED);
    }
    const rateLimit = allowance.count(authenticated.account);
    return rateLimit instanceof Promise
      ? rateLimit.then((counted) => authorize(request, access, authenticated, counted))
      : authorize(request, access, authenticated, rateLimit);
  };

  return (request: FastifyRequest, access: Access): ApiCaller | Promise<ApiCaller> => {
    const { authorization } = request.headers;
    if (authorization === undefined && sessionAdmission.hasSession(request))
      return sessionAdmission.admit(request, access);
    const token = bearerTokenOf(authorization);
    if (visitorAdmission.isVisitor(token)) return visitorAdmission.admit(request, access, token);
    const found = callers(token);
    return found instanceof Promise
      ? found.then((caller) => count(request, access, caller))
      : count(request, access, found);
  };
}
export type Admission = ReturnType<typeof createAdmission>;
