import type { ByteRange, ObjectStore } from "./object-store.ts";
import { FORBIDDEN, NOT_FOUND, refuse } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import { OBJECTS_PATH, type AddressSigner, type ObjectHead } from "./signed-addresses.ts";

/** Types that a browser may display; others are downloaded. */
const INLINE_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** @spec RFC 6266, RFC 8187: an ASCII name for old clients and the full name beside it */
const dispositionOf = ({ contentType, fileName }: ObjectHead): string => {
  const manner = INLINE_TYPES.has(contentType) && fileName === undefined ? "inline" : "attachment";
  if (fileName === undefined) return manner;
  const plain = fileName.replace(/[^ \w.,()+-]/g, "_");
  const whole = encodeURIComponent(fileName).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `${manner}; filename="${plain}"; filename*=UTF-8''${whole}`;
};

/**
 * Types that a page of this origin, whose policy admits its own scripts and styles, would execute if a link to the upload got into it.
 * @see https://mimesniff.spec.whatwg.org/#javascript-mime-type
 */
const EXECUTED_TYPE = /^(?:text|application)\/(?:x-)?(?:javascript|ecmascript|jscript|livescript|css)/i;

/** Validates a type for use in a header; an invalid one, or one that pages execute, becomes a generic type. */
const typeOf = (contentType: string): string =>
  !EXECUTED_TYPE.test(contentType) && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?[\w-]+=[\w.:"-]+)*$/.test(contentType)
    ? contentType
    : "application/octet-stream";

/** Uploads are untrusted: they are served as their declared type without sniffing, and scripts in them are blocked. */
const headersOf = (head: ObjectHead): Record<string, string> => ({
  "content-type": typeOf(head.contentType),
  "content-disposition": dispositionOf(head),
  "cache-control": `private, max-age=${head.seconds}, immutable`,
  "accept-ranges": "bytes",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
});

/**
 * Parses `Range: bytes=first-last`, one range with either end optional.
 * @shape undefined: send everything, also for an unsatisfiable range (RFC 9110 allows a server to ignore ranges)
 */
const rangeOf = (header: string | undefined, size: number): ByteRange | undefined => {
  const [, from = "", to = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (from === "" && to === "") return undefined;
  const first = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  return first <= last ? { first, last } : undefined;
};

export interface ServeObjectsDeps {
  readonly objects: ObjectStore;
  readonly addresses: Pick<AddressSigner, "open">;
}

const textOf = (query: unknown, name: string): string => {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value : "";
};

/** @errors FORBIDDEN */
const headOfSignedUrl = ({ params, query }: FastifyRequest, addresses: ServeObjectsDeps["addresses"]): ObjectHead => {
  const opened = addresses.open({
    key: (params as { "*": string })["*"],
    expires: textOf(query, "expires"),
    type: textOf(query, "type"),
    name: textOf(query, "name"),
    signature: textOf(query, "signature"),
  });
  return opened ?? refuse(FORBIDDEN, "This address has expired or was altered. Ask the API for a fresh address.");
};

const refuseRemoved = (): never => refuse(NOT_FOUND, "The object at this address has been removed.");

/** Serves objects to holders of a signed URL, which is a bearer token. */
export function addObjectRoutes(
  app: FastifyInstance,
  onRequest: onRequestAsyncHookHandler,
  { objects, addresses }: ServeObjectsDeps,
): void {
  const url = `${OBJECTS_PATH}*`;
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const head = headOfSignedUrl(request, addresses);
    const wanted = request.headers["if-range"] === undefined ? request.headers.range : undefined;
    const isHead = request.method === "HEAD";
    // One request to the storage in place of two: reading an object includes its size.
    const size = isHead || wanted !== undefined ? ((await objects.size(head.key)) ?? refuseRemoved()) : undefined;
    const range = size === undefined ? undefined : rangeOf(wanted, size);
    const { bytes, content } = isHead
      ? { bytes: size ?? 0, content: null }
      : ((await objects.read(head.key, range)) ?? refuseRemoved());
    reply.headers(headersOf(head));
    if (range) reply.code(206).header("content-range", `bytes ${range.first}-${range.last}/${bytes}`);
    reply.header("content-length", range ? range.last - range.first + 1 : bytes);
    return reply.send(content);
  };
  app.route({ method: ["GET", "HEAD"], url, onRequest, handler: answer });
}
