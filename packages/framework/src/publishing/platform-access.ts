import { createHash, timingSafeEqual } from "node:crypto";
import { refuse, UNAUTHENTICATED, type Endpoint } from "@parley/contract";
import type { FastifyRequest } from "fastify";

/**
 * Admits a request to a row of the platform.
 * @shape account: of the path
 * @errors Refusal
 */
export type AuthorizePlatformRequest = (row: Endpoint, request: FastifyRequest, account?: string) => Promise<void>;

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Admits requests with the admin key. The comparison takes the same time for every wrong key. */
export const adminKeyAccess = (adminKey: string): AuthorizePlatformRequest => {
  const expected = digest(adminKey);
  return async ({ access }, { headers }) => {
    const [, key = ""] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
    if (timingSafeEqual(digest(key), expected) && access.adminKey) return;
    refuse(UNAUTHENTICATED, "The admin key is missing or wrong. Send it as 'Authorization: Bearer <key>'.");
  };
};
