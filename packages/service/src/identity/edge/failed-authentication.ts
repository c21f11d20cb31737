import { refuse, TOO_MANY_REQUESTS, UNAUTHENTICATED } from "@parley/contract";
import type { FastifyRequest } from "fastify";
import type { FailedAuthenticationLimit } from "../allowance/failed-authentication.ts";

/** Refuses a request without a valid credential and counts it against its IP address. @errors UNAUTHENTICATED, TOO_MANY_REQUESTS */
export const refuseUnauthenticated =
  (guard: FailedAuthenticationLimit, message?: string) =>
  (request: FastifyRequest): never => {
    const rateLimit = guard.countFailure(request.ip);
    request.rateLimit = rateLimit;
    return rateLimit.allowed
      ? refuse(UNAUTHENTICATED, message)
      : refuse(TOO_MANY_REQUESTS, "Too many requests without a valid credential came from this address.");
  };

/** -> the token of `Authorization: Bearer <token>`, or "" for any other header */
export const bearerTokenOf = (header: string | undefined): string => /^bearer +(\S+) *$/i.exec(header ?? "")?.[1] ?? "";

/**
 * The challenge of a 401 (RFC 6750, section 3). `invalid_token` is added only if the request contains a token.
 * @assumed The realm.
 */
export const authenticateChallenge = (header: string | undefined): string =>
  `Bearer realm="parley"${bearerTokenOf(header) === "" ? "" : ', error="invalid_token"'}`;
