import { ASSETS_FOLDER } from "../environment/package.ts";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { BASE_PATH, errorTable, openapi } from "@parley/contract";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { errorsPage } from "./errors-page.ts";
import { hostAndPathOf } from "./host.ts";
import { JSON_TYPE } from "../http/media-type.ts";

/** Everything is loaded from this host; inline scripts and styles are forbidden. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const OWN = fileURLToPath(new URL("docs/", ASSETS_FOLDER));
const SHIPPED = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

/** The served files. The packages contain more than should be public. */
const FILES = [
  { path: "/docs", file: "index.html", folder: OWN },
  { path: "/docs/docs.css", file: "docs.css", folder: OWN },
  { path: "/docs/errors.css", file: "errors.css", folder: OWN },
  { path: "/docs/docs.js", file: "docs.js", folder: OWN },
  { path: "/docs/swagger-ui.css", file: "swagger-ui.css", folder: SHIPPED },
  { path: "/docs/swagger-ui-bundle.js", file: "swagger-ui-bundle.js", folder: SHIPPED },
  { path: "/docs/favicon.png", file: "favicon-32x32.png", folder: SHIPPED },
] as const;

/** Serves the OpenAPI document and the API reference. Both need no token, since the reference explains how to use one. */
export async function addDocs(app: FastifyInstance, onRequest: onRequestAsyncHookHandler): Promise<void> {
  const guarded = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  };
  const errors = errorsPage(errorTable());
  const plain = JSON.stringify(openapi(BASE_PATH));
  /** The document's server is the base path of the request. */
  const documentOf = (base: string) => (base === BASE_PATH ? plain : JSON.stringify(openapi(base)));
  await app.register(fastifyStatic, { serve: false });
  app.get(`${BASE_PATH}/openapi.json`, { onRequest }, async ({ originalUrl }, reply) =>
    reply.header("content-type", JSON_TYPE).send(documentOf(hostAndPathOf(originalUrl).path)),
  );
  app.get("/", { onRequest }, async (_, reply) => reply.redirect("/docs"));
  app.get("/docs/errors", { onRequest }, async (_, reply) =>
    reply.headers({ ...guarded, "content-type": "text/html; charset=utf-8" }).send(errors),
  );
  for (const { path, file, folder } of FILES)
    app.get(path, { onRequest }, async (_, reply) => reply.headers(guarded).sendFile(file, folder));
}
