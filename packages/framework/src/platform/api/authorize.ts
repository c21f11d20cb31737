import { timingSafeEqual, createHash } from "node:crypto";
import { refuse, UNAUTHENTICATED } from "@parley/contract";
import { admitDelegated, isDelegated, type DelegationRules } from "../delegation/delegation.ts";
import type { AuthorizeRow } from "./serve-rows.ts";

interface AuthorizeDeps {
  readonly adminKey: string;
  /** For requests that the service sends for signed-in agents. */
  readonly delegation: DelegationRules;
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Admits requests to the platform's rows: with the admin key, or from the service for a signed-in admin of the account. */
export const createAuthorizeRow = ({ adminKey, delegation }: AuthorizeDeps): AuthorizeRow => {
  const expected = digest(`Bearer ${adminKey}`);
  return async ({ access }, request, account) => {
    const { authorization } = request.headers;
    const author = { address: request.ip };
    if (authorization !== undefined) {
      if (access.adminKey && timingSafeEqual(digest(authorization), expected)) return author;
      return refuse(UNAUTHENTICATED, "The admin key is wrong. It is in the file admin-key of the data folder.");
    }
    if (isDelegated(request)) {
      const { agent, address, bodyDigest } = await admitDelegated(delegation, access, request, account);
      return { agent, address, isSignedBody: (body) => delegation.isSignedBody(body, bodyDigest) };
    }
    return refuse(UNAUTHENTICATED, "Send the admin key as a bearer token, or the request to the service in a session.");
  };
};
