import { FORBIDDEN, refuse, TOO_MANY_REQUESTS, UNAUTHENTICATED, type Permission } from "@parley/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Allowance } from "../allowance/allowance.ts";
import type { Guard } from "../allowance/guard.ts";
import type { Callers } from "../tokens/callers.ts";
import type { AddressCheck } from "./host.ts";
import type { Caller } from "./slice.ts";
import { tell } from "./standing.ts";

export interface AdmissionDeps {
  readonly callers: Callers;
  readonly allowance: Allowance;
  readonly guard: Guard;
  readonly checkAddress: AddressCheck;
}

/** Says no to a request that nobody is known to have sent, and counts it against its address. @errors UNAUTHENTICATED, TOO_MANY_REQUESTS */
export const strangers =
  (guard: Guard, message?: string) =>
  (request: FastifyRequest, reply: FastifyReply): never => {
    const standing = guard.fail(request.ip);
    tell(reply, standing);
    return standing.allowed
      ? refuse(UNAUTHENTICATED, message)
      : refuse(TOO_MANY_REQUESTS, "Too many requests without a valid access token came from this address.");
  };

/** -> the token of `Authorization: Bearer <token>`, "" for anything else. */
export const tokenOf = (header: string | undefined): string => /^bearer +(\S+) *$/i.exec(header ?? "")?.[1] ?? "";

/**
 * Lets a request in or not: who calls, is a call left in the hour, is it the right address, may the token do this.
 * @errors UNAUTHENTICATED, TOO_MANY_REQUESTS, FORBIDDEN, NOT_FOUND
 */
export function admission({ callers, allowance, guard, checkAddress }: AdmissionDeps) {
  const stranger = strangers(guard);

  return async (request: FastifyRequest, reply: FastifyReply, permission: Permission | null): Promise<Caller> => {
    const found = callers(tokenOf(request.headers.authorization));
    const caller = (found instanceof Promise ? await found : found) ?? stranger(request, reply);
    const counted = allowance(caller.account);
    const standing = counted instanceof Promise ? await counted : counted;
    tell(reply, standing);
    if (!standing.allowed) refuse(TOO_MANY_REQUESTS);
    checkAddress(request, caller.account);
    if (permission !== null && !caller.permissions.has(permission))
      refuse(FORBIDDEN, `The access token does not have the permission ${permission}.`);
    return caller;
  };
}
export type Admission = ReturnType<typeof admission>;
