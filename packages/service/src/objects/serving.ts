import { FORBIDDEN, NOT_FOUND, refuse } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import { OBJECTS_PATH, type Addresses } from "./addresses.ts";
import { headersOf, rangeOf } from "./headers.ts";
import type { Lead, ObjectStore } from "./objects.ts";

export interface ServingDeps {
  readonly objects: ObjectStore;
  readonly addresses: Pick<Addresses, "open">;
}

const textOf = (query: unknown, name: string): string => {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value : "";
};

/** @errors FORBIDDEN */
const openedBy = ({ params, query }: FastifyRequest, addresses: ServingDeps["addresses"]): Lead => {
  const opened = addresses.open({
    key: (params as { "*": string })["*"],
    expires: textOf(query, "expires"),
    type: textOf(query, "type"),
    name: textOf(query, "name"),
    signature: textOf(query, "signature"),
  });
  return opened ?? refuse(FORBIDDEN, "This address has expired or was altered. Ask the API for a fresh one.");
};

/** Serves objects to whoever holds a signed address: the address is the token. */
export function addObjects(
  app: FastifyInstance,
  onRequest: onRequestAsyncHookHandler,
  { objects, addresses }: ServingDeps,
): void {
  const url = `${OBJECTS_PATH}*`;
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const lead = openedBy(request, addresses);
    const size = (await objects.size(lead.key)) ?? refuse(NOT_FOUND, "What was at this address has been removed.");
    const range = request.headers["if-range"] === undefined ? rangeOf(request.headers.range, size) : undefined;
    const content = request.method === "HEAD" ? null : await objects.read(lead.key, range);
    if (content === undefined) return refuse(NOT_FOUND, "What was at this address has been removed.");
    reply.headers(headersOf(lead));
    if (range) reply.code(206).header("content-range", `bytes ${range.first}-${range.last}/${size}`);
    reply.header("content-length", range ? range.last - range.first + 1 : size);
    return reply.send(content);
  };
  app.route({ method: ["GET", "HEAD"], url, onRequest, handler: answer });
}
