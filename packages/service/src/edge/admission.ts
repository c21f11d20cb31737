import { FORBIDDEN, refuse, TOO_MANY_REQUESTS, UNAUTHENTICATED, type Permission } from "@parley/contract";
import type { FastifyRequest } from "fastify";
import type { CallAllowance, RateLimitState } from "../allowance/allowance.ts";
import type { FailedAuthenticationLimit } from "../allowance/failed-authentication.ts";
import type { FindCaller } from "../identity/callers.ts";
import type { HostCheck } from "./host.ts";
import type { CountCall } from "./method-not-allowed.ts";
import type { ApiCaller } from "../http/route-handlers.ts";

export interface AdmissionDeps {
  readonly callers: FindCaller;
  readonly allowance: CallAllowance;
  readonly guard: FailedAuthenticationLimit;
  readonly checkAddress: HostCheck;
}

/** Refuses a request without a valid token and counts it against its IP address. @errors UNAUTHENTICATED, TOO_MANY_REQUESTS */
export const rejectUnauthenticated =
  (guard: FailedAuthenticationLimit, message?: string) =>
  (request: FastifyRequest): never => {
    const rateLimit = guard.countFailure(request.ip);
    request.rateLimit = rateLimit;
    return rateLimit.allowed
      ? refuse(UNAUTHENTICATED, message)
      : refuse(TOO_MANY_REQUESTS, "Too many requests without a valid access token came from this address.");
  };

/** -> the token of `Authorization: Bearer <token>`, or "" for any other header */
export const bearerTokenOf = (header: string | undefined): string => /^bearer +(\S+) *$/i.exec(header ?? "")?.[1] ?? "";

/**
 * The challenge of a 401 (RFC 6750, section 3). `invalid_token` is added only if the request contains a token.
 * @assumed The realm.
 */
export const authenticateChallenge = (header: string | undefined): string =>
  `Bearer realm="parley"${bearerTokenOf(header) === "" ? "" : ', error="invalid_token"'}`;

/**
 * Counts a request to an unknown address or with an unsupported method.
 * @errors TOO_MANY_REQUESTS
 * @assumed Such a request counts as a call of the account like any other.
 */
export const createCallCounter =
  ({ callers, allowance }: Pick<AdmissionDeps, "callers" | "allowance">): CountCall =>
  async (request) => {
    const caller = await callers(bearerTokenOf(request.headers.authorization));
    if (!caller) return;
    request.rateLimit = await allowance.count(caller.account);
    if (!request.rateLimit.allowed) refuse(TOO_MANY_REQUESTS);
  };

/**
 * Admits or refuses a request by its token, the calls left in the hour, its address and the permission. The result is a promise only if
 * the token or the count must be read from the database, which happens about once a second.
 * @errors UNAUTHENTICATED, TOO_MANY_REQUESTS, FORBIDDEN, NOT_FOUND
 */
export function createAdmission({ callers, allowance, guard, checkAddress }: AdmissionDeps) {
  const reject = rejectUnauthenticated(guard);

  const authorize = (
    request: FastifyRequest,
    permission: Permission | null,
    caller: ApiCaller,
    rateLimit: RateLimitState,
  ) => {
    request.rateLimit = rateLimit;
    if (!rateLimit.allowed) refuse(TOO_MANY_REQUESTS);
    checkAddress(request, caller.account);
    if (permission !== null && !caller.permissions.has(permission))
      refuse(FORBIDDEN, `The access token does not have the permission ${permission}.`);
    return caller;
  };
  const count = (request: FastifyRequest, permission: Permission | null, caller: ApiCaller | undefined) => {
    const authenticated = caller ?? reject(request);
    const rateLimit = allowance.count(authenticated.account);
    return rateLimit instanceof Promise
      ? rateLimit.then((counted) => authorize(request, permission, authenticated, counted))
      : authorize(request, permission, authenticated, rateLimit);
  };

  return (request: FastifyRequest, permission: Permission | null): ApiCaller | Promise<ApiCaller> => {
    const found = callers(bearerTokenOf(request.headers.authorization));
    return found instanceof Promise
      ? found.then((caller) => count(request, permission, caller))
      : count(request, permission, found);
  };
}
export type Admission = ReturnType<typeof createAdmission>;
