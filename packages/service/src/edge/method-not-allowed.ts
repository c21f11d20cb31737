import { METHOD_NOT_ALLOWED, refuse } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** Those that a pattern of another address could take in place of this one's. Rarer ones find no route at all. */
const USUAL = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"] as const;

/** `/v2/users/:user_id` -> an expression for its addresses, with or without a last slash */
const expressionOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[.+?^$()|[\]\\]/g, "\\$&")
      .replace(/:\w+/g, "[^/]+")
      .replace("*", ".*")}/?$`,
  );

/** Counts a request that no endpoint takes as a call of whoever sent it, if a valid token says who that is. */
export type CountCall = (request: FastifyRequest) => Promise<void>;

/** Keeps the list of addresses with the methods that each takes; begun before the first route is added. */
export function addMethodNotAllowed(app: FastifyInstance, counted: CountCall | undefined) {
  const addresses = new Map<string, string[]>();
  let others = false;
  app.addHook("onRoute", ({ method, url }) => {
    if (!others) addresses.set(url, [...new Set([...(addresses.get(url) ?? []), ...[method].flat()])]);
  });
  const sayNo = (reply: FastifyReply, allow: readonly string[]): never => {
    reply.header("allow", allow.join(", "));
    return refuse(METHOD_NOT_ALLOWED);
  };

  return {
    /** Adds an answer for all the other methods of every address there is. */
    addOthers(): void {
      others = true;
      for (const [url, methods] of addresses)
        app.route({
          method: USUAL.filter((method) => !methods.includes(method)),
          url,
          handler: async (request, reply) => {
            await counted?.(request);
            return sayNo(reply, methods);
          },
        });
    },
    /** For what found no route: the address may be one all the same. @errors METHOD_NOT_ALLOWED */
    check(path: string, method: string, reply: FastifyReply): void {
      if (USUAL.some((usual) => usual === method)) return;
      const found = [...addresses].find(([url]) => expressionOf(url).test(path));
      if (found) sayNo(reply, found[1]);
    },
  };
}
