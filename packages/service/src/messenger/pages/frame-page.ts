import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import { MESSENGER_DATA_ID, MESSENGER_PATH } from "@parley/contract";
import type { FastifyRequest } from "fastify";
import type { MountRoutes } from "../../http/area-module.ts";
import { HTML_TYPE } from "../../http/media-type.ts";
import type { ReadConfiguration } from "../configuration/routes.ts";
import type { Embedding } from "../embedding/embedding.ts";

interface FramePageDeps {
  /** Folder of the built panel. */
  readonly folder: string;
  readonly embedding: Pick<Embedding, "accountOf">;
  readonly originOf: (host: string | undefined) => string;
  readonly readConfiguration: ReadConfiguration;
}

const ONE_YEAR_MS = 31_536_000_000;

/**
 * The panel loads scripts, styles and data from this service only. Pictures and videos that agents send can be of other hosts.
 * The console, which is of the same origin, embeds the page whatever the account lists. Without a list of origins the policy has no `frame-ancestors`: `*` would refuse pages that are files.
 */
const policyOf = (origins: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob: http: https:",
    "media-src 'self' blob: http: https:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    ...(origins.length > 0 ? [`frame-ancestors 'self' ${origins.join(" ")}`] : []),
  ].join("; ");

const parameterOf = ({ query }: FastifyRequest, name: string): string | undefined => {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value : undefined;
};

/** Data that the page's script finds by the id: scripts of this type are not executed, so the policy does not refuse them. */
const embedded = (json: string): string =>
  `<script type="application/json" id="${MESSENGER_DATA_ID}">${json.replaceAll("<", String.raw`\u003c`)}</script></head>`;

/**
 * Mounts the page in the frame of the messenger. Its policy names the origins that the account lists. It contains the configuration, so that the panel
 * is usable without a further request.
 */
export const framePageMount =
  ({ folder, embedding, originOf, readConfiguration }: FramePageDeps): MountRoutes =>
  async (app, onRequest) => {
    const page = await readFile(join(folder, "index.html"), "utf8");
    await app.register(async (files) => {
      files.addHook("onRequest", onRequest);
      await files.register(fastifyStatic, {
        root: join(folder, "assets"),
        prefix: `${MESSENGER_PATH}/assets/`,
        preCompressed: true,
        index: false,
        // The names of the files contain a hash of their content.
        immutable: true,
        maxAge: ONE_YEAR_MS,
        decorateReply: false,
        setHeaders: (reply) => void reply.setHeader("x-content-type-options", "nosniff"),
      });
    });
    app.get(MESSENGER_PATH, { onRequest }, async (request, reply) => {
      const { host } = request.headers;
      const [name, alias, locale, tags] = ["account", "alias", "locale", "tags"].map((each) =>
        parameterOf(request, each),
      );
      const account = await embedding.accountOf(host, { account: name, alias });
      const configuration = await readConfiguration(account, { alias, locale, tags }, originOf(host));
      return reply
        .headers({
          "content-type": HTML_TYPE,
          "content-security-policy": policyOf(account.origins),
          "cache-control": "no-cache",
          "cross-origin-resource-policy": "cross-origin",
          "permissions-policy": "camera=(), microphone=(), geolocation=()",
          "referrer-policy": "no-referrer",
          "x-content-type-options": "nosniff",
        })
        .send(page.replace("</head>", () => embedded(configuration)));
    });
  };
