import { METHOD_NOT_ALLOWED, refuse } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyInstance {
    /** Every address that has a route, with its methods. @shape path: a pattern such as /v2/users/:user_id */
    servedAddresses: () => readonly ServedAddress[];
  }
}

/** An address that the service answers. */
export interface ServedAddress {
  readonly path: string;
  readonly methods: readonly string[];
}

/** Methods with a route for every address. Without it, the pattern of another address could match. Rarer methods match no route at all. */
const COMMON_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"] as const;

/** `/v2/users/:user_id` -> a regular expression for its addresses, with or without a trailing slash */
const expressionOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[.+?^$()|[\]\\]/g, "\\$&")
      .replace(/:\w+/g, "[^/]+")
      .replace("*", ".*")}/?$`,
  );

/** Counts a request without an endpoint as a call of the account if its token is valid. */
export type CountCall = (request: FastifyRequest) => Promise<void>;

/** Records the methods of each address. Call it before the first route is added. */
export function addMethodNotAllowed(app: FastifyInstance, countCall: CountCall | undefined) {
  const addresses = new Map<string, string[]>();
  let isComplete = false;
  app.addHook("onRoute", ({ method, url }) => {
    if (!isComplete) addresses.set(url, [...new Set([...(addresses.get(url) ?? []), ...[method].flat()])]);
  });
  app.decorate("servedAddresses", () => [...addresses].map(([path, methods]) => ({ path, methods })));
  const refuseMethod = (reply: FastifyReply, allow: readonly string[]): never => {
    reply.header("allow", allow.join(", "));
    return refuse(METHOD_NOT_ALLOWED);
  };

  return {
    /** Adds a route for the unsupported methods of every address. */
    addOthers(): void {
      isComplete = true;
      for (const [url, methods] of addresses)
        app.route({
          method: COMMON_METHODS.filter((method) => !methods.includes(method)),
          url,
          handler: async (request, reply) => {
            await countCall?.(request);
            return refuseMethod(reply, methods);
          },
        });
    },
    /** Refuses an unsupported method of a known address in a request that matched no route. @errors METHOD_NOT_ALLOWED */
    check(path: string, method: string, reply: FastifyReply): void {
      if (COMMON_METHODS.some((common) => common === method)) return;
      const found = [...addresses].find(([url]) => expressionOf(url).test(path));
      if (found) refuseMethod(reply, found[1]);
    },
  };
}
