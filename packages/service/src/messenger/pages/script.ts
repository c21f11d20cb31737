import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { MESSENGER_SCRIPT } from "@parley/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { MountRoutes } from "../../http/area-module.ts";
import { acceptsEncoding } from "../../http/compression.ts";

/**
 * How long browsers use a copy of the script without asking: its address does not change with its content.
 * @units seconds
 * @assumed
 */
const SCRIPT_MAX_AGE_S = 300;
const TAG_LENGTH = 16;

/** Every site may load the script, with `crossorigin` or without, also from pages that isolate themselves by COEP. */
const HEADERS = {
  "content-type": "text/javascript; charset=utf-8",
  "cache-control": `public, max-age=${SCRIPT_MAX_AGE_S}, stale-while-revalidate=86400`,
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff",
  vary: "Accept-Encoding",
};

/** Whether the browser has this version: `If-None-Match` lists its tag. */
const isCached = ({ headers }: FastifyRequest, tag: string): boolean =>
  (headers["if-none-match"] ?? "").split(",").some((each) => each.trim() === tag);

/** Mounts the script that sites embed, at its own address and at the addresses of the second form of the snippet, `/{number}/{number}.js`. */
export const scriptMount =
  (file: string): MountRoutes =>
  async (app, onRequest) => {
    const plain = await readFile(file);
    const [br, gz] = await Promise.all([promisify(brotliCompress)(plain), promisify(gzip)(plain)]);
    // Weak: the same tag for each encoding.
    const tag = `W/"${createHash("sha256").update(plain).digest("base64url").slice(0, TAG_LENGTH)}"`;
    const send = async (request: FastifyRequest, reply: FastifyReply) => {
      void reply.headers({ ...HEADERS, etag: tag });
      if (isCached(request, tag)) return reply.code(304).send();
      const accepted = request.headers["accept-encoding"];
      if (acceptsEncoding(accepted, "br")) return reply.header("content-encoding", "br").send(br);
      if (acceptsEncoding(accepted, "gzip")) return reply.header("content-encoding", "gzip").send(gz);
      return reply.send(plain);
    };
    app.get(MESSENGER_SCRIPT, { onRequest }, send);
    app.get(String.raw`/:site(^\d{1,15}$)/:widget(^\d{1,15}).js`, { onRequest }, send);
  };
