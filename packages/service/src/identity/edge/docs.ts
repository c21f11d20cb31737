import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { STATUS_CODES } from "node:http";
import { ASSETS_FOLDER } from "../../base/environment/package.ts";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BASE_PATH, errorTable, openapi, type ErrorEntry } from "@parley/contract";
import { COLORS_CSS } from "@parley/contract/display";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { hostAndPathOf } from "./host.ts";
import { html, type Markup } from "../../http/html.ts";
import { HTML_TYPE, JSON_TYPE } from "../../http/media-type.ts";

const whereOf = (where: readonly string[]): Markup[] =>
  where.map((each) => (/^[A-Z]+ \//.test(each) ? html`<li><code>${each}</code></li>` : html`<li>${each}</li>`));

const entryOf = ({ problem: { status, message, category }, remedy, where }: ErrorEntry): Markup =>
  html`<section id="${status}" aria-labelledby="h-${status}">
    <h3 id="h-${status}"><a href="#${status}">${status}</a></h3>
    <dl>
      <dt>Meaning</dt>
      <dd>${message}</dd>
      <dt>What to do</dt>
      <dd>${remedy}</dd>
      ${
        category
          ? html`<dt>Category</dt>
              <dd><code>${category}</code></dd>`
          : ""
      }
      <dt>Where</dt>
      <dd>
        <ul>
          ${whereOf(where)}
        </ul>
      </dd>
    </dl>
  </section> `;

const codesOf = (entries: readonly ErrorEntry[]): number[] => [...new Set(entries.map(({ problem }) => problem.code))];

/** The error table as an HTML page. The `type` of an error is the address of its section. */
function errorsPage(entries: readonly ErrorEntry[]): string {
  const groups = codesOf(entries).map((code) => {
    const rows = entries.filter(({ problem }) => problem.code === code);
    const name = STATUS_CODES[code] ?? "";
    const link = ({ problem: { status } }: ErrorEntry) => html`<li><a href="#${status}">${status}</a></li>`;
    return {
      contents: html`<li>
        <a href="#${code}">${code} ${name}</a>
        <ul>
          ${rows.map(link)}
        </ul>
      </li>`,
      chapter: html`<h2 id="${code}">${code} ${name}</h2>
        ${rows.map(entryOf)}`,
    };
  });
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Errors · Parley API</title>
        <link rel="icon" type="image/png" href="/docs/favicon.png" />
        <link rel="stylesheet" href="/docs/errors.css" />
      </head>
      <body>
        <header><a href="/docs">Parley API</a></header>
        <main>
          <h1>Errors</h1>
          <p>
            Every error response has a body of this shape. <code>code</code> is the HTTP status, <code>status</code> is
            the token of the condition, and <code>message</code> describes the error.
          </p>
          <pre><code>{ "code": 404, "status": "USER_NOT_FOUND", "message": "user not found" }</code></pre>
          <p>
            Where a message can't be added to a conversation, the body also carries <code>error_code</code>,
            <code>error_message</code> and <code>error_category</code>. With
            <code>Accept: application/problem+json</code> the body has the form of RFC 9457 instead:
            <code>type</code> is the address of the token's section on this page, and <code>code</code> contains the
            token.
          </p>
          <nav aria-label="Errors by status">
            <ul>
              ${groups.map(({ contents }) => contents)}
            </ul>
          </nav>
          ${groups.map(({ chapter }) => chapter)}
        </main>
      </body>
    </html> `.text;
}

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

const ASSETS = fileURLToPath(new URL("docs/", ASSETS_FOLDER));
/** A released package contains the files; in the repository they are in the library's package. */
const RELEASED_SWAGGER_UI = fileURLToPath(new URL("swagger-ui/", ASSETS_FOLDER));
const SWAGGER_UI = existsSync(RELEASED_SWAGGER_UI)
  ? RELEASED_SWAGGER_UI
  : dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

/** The served files. The packages contain more than should be public. */
const FILES = [
  { path: "/docs", file: "index.html", folder: ASSETS },
  { path: "/docs/docs.css", file: "docs.css", folder: ASSETS },
  { path: "/docs/docs.js", file: "docs.js", folder: ASSETS },
  { path: "/docs/swagger-ui.css", file: "swagger-ui.css", folder: SWAGGER_UI },
  { path: "/docs/swagger-ui-bundle.js", file: "swagger-ui-bundle.js", folder: SWAGGER_UI },
  { path: "/docs/favicon.png", file: "favicon-32x32.png", folder: SWAGGER_UI },
] as const;

/** Serves the OpenAPI document and the API reference. Both need no token, since the reference explains how to use a token. */
export async function addDocs(app: FastifyInstance, onRequest: onRequestAsyncHookHandler): Promise<void> {
  const securityHeaders = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  };
  // Both are made for the first request: a start is quicker without them.
  let errors: string | undefined;
  let plain: string | undefined;
  const textOf = (base: string) => JSON.stringify(openapi(base));
  /** The document's server is the base path of the request. */
  const documentOf = (base: string) => (base === BASE_PATH ? (plain ??= textOf(base)) : textOf(base));
  await app.register(fastifyStatic, { serve: false });
  app.get(`${BASE_PATH}/openapi.json`, { onRequest }, async ({ originalUrl }, reply) =>
    reply.header("content-type", JSON_TYPE).send(documentOf(hostAndPathOf(originalUrl).path)),
  );
  app.get("/docs/errors", { onRequest }, async (_, reply) =>
    reply.headers({ ...securityHeaders, "content-type": HTML_TYPE }).send((errors ??= errorsPage(errorTable()))),
  );
  const errorStyle = COLORS_CSS + (await readFile(join(ASSETS, "errors.css"), "utf8"));
  app.get("/docs/errors.css", { onRequest }, async (_, reply) =>
    reply.headers({ ...securityHeaders, "content-type": "text/css; charset=utf-8" }).send(errorStyle),
  );
  for (const { path, file, folder } of FILES)
    app.get(path, { onRequest }, async (_, reply) => reply.headers(securityHeaders).sendFile(file, folder));
}
