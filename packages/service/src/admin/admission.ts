import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Guard } from "../allowance/guard.ts";
import { strangers, tokenOf } from "../http/admission.ts";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const WRONG =
  "The admin key is missing or wrong: it stands in the file admin-key of the data folder. Send it as 'Authorization: Bearer <key>'.";

/** Lets in who has the admin key, compared in a time that says nothing of it. @errors UNAUTHENTICATED, TOO_MANY_REQUESTS */
export function adminAdmission(key: string, guard: Guard) {
  const own = digest(key);
  const stranger = strangers(guard, WRONG);
  return (request: FastifyRequest): null => {
    if (!timingSafeEqual(own, digest(tokenOf(request.headers.authorization)))) return stranger(request);
    request.standing = guard.look(request.ip);
    return null;
  };
}
