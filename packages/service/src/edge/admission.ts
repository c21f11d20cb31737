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

/** Says no to a request that nobody is known to have sent, and counts it against its address. @errors UNAUTHENTICATED, TOO_MANY_REQUESTS */
export const rejectUnauthenticated =
  (guard: FailedAuthenticationLimit, message?: string) =>
  (request: FastifyRequest): never => {
    const standing = guard.fail(request.ip);
    request.standing = standing;
    return standing.allowed
      ? refuse(UNAUTHENTICATED, message)
      : refuse(TOO_MANY_REQUESTS, "Too many requests without a valid access token came from this address.");
  };

/** -> the token of `Authorization: Bearer <token>`, "" for anything else. */
export const bearerTokenOf = (header: string | undefined): string => /^bearer +(\S+) *$/i.exec(header ?? "")?.[1] ?? "";

/**
 * What a 401 says of how to authenticate (RFC 6750, section 3): `invalid_token` only to who showed one.
 * @assumed The realm.
 */
export const authenticateChallenge = (header: string | undefined): string =>
  `Bearer realm="parley"${bearerTokenOf(header) === "" ? "" : ', error="invalid_token"'}`;

/**
 * Counts a request to an address, or with a method, that there is not.
 * @errors TOO_MANY_REQUESTS
 * @assumed It is a call of the account as any other.
 */
export const createCallCounter =
  ({ callers, allowance }: Pick<AdmissionDeps, "callers" | "allowance">): CountCall =>
  async (request) => {
    const caller = await callers(bearerTokenOf(request.headers.authorization));
    if (!caller) return;
    request.standing = await allowance.count(caller.account);
    if (!request.standing.allowed) refuse(TOO_MANY_REQUESTS);
  };

/**
 * Lets a request in or not: who calls, is a call left in the hour, is it the right address, may the token do this. A promise only where
 * somebody has to be asked, which is about once a second.
 * @errors UNAUTHENTICATED, TOO_MANY_REQUESTS, FORBIDDEN, NOT_FOUND
 */
export function createAdmission({ callers, allowance, guard, checkAddress }: AdmissionDeps) {
  const stranger = rejectUnauthenticated(guard);

  const judged = (
    request: FastifyRequest,
    permission: Permission | null,
    caller: ApiCaller,
    standing: RateLimitState,
  ) => {
    request.standing = standing;
    if (!standing.allowed) refuse(TOO_MANY_REQUESTS);
    checkAddress(request, caller.account);
    if (permission !== null && !caller.permissions.has(permission))
      refuse(FORBIDDEN, `The access token does not have the permission ${permission}.`);
    return caller;
  };
  const count = (request: FastifyRequest, permission: Permission | null, caller: ApiCaller | undefined) => {
    const known = caller ?? stranger(request);
    const standing = allowance.count(known.account);
    return standing instanceof Promise
      ? standing.then((counted) => judged(request, permission, known, counted))
      : judged(request, permission, known, standing);
  };

  return (request: FastifyRequest, permission: Permission | null): ApiCaller | Promise<ApiCaller> => {
    const found = callers(bearerTokenOf(request.headers.authorization));
    return found instanceof Promise
      ? found.then((caller) => count(request, permission, caller))
      : count(request, permission, found);
  };
}
export type Admission = ReturnType<typeof createAdmission>;
