import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyReply } from "fastify";
import { CONSOLE_API, CONSOLE_PATH, CONVERSATION_PAGES, NOT_FOUND, PROFILE_PATH, refuse } from "@parley/contract";
import type { MountRoutes } from "../../http/area-module.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { builtFiles } from "../../http/built-files.ts";
import { HTML_TYPE } from "../../http/media-type.ts";

interface ConsolePagesDeps {
  /** Folder of the built console. */
  readonly folder: string;
  /** Origin of all apps in browsers. Absent: apps of this machine. */
  readonly appsUrl: string | undefined;
  readonly random: Ports["random"];
}

/** Pages of this machine have no https. */
const LOCAL_SOURCES = ["http://localhost:*", "http://127.0.0.1:*", "http://*.localhost:*"] as const;

const frameSources = (appsUrl: string | undefined): readonly string[] => {
  if (appsUrl === undefined) return LOCAL_SOURCES;
  const { protocol, host, origin } = new URL(appsUrl);
  return [origin, `${protocol}//*.${host}`];
};

/**
 * Everything that a page loads is of its own host: pictures of other hosts are loaded by the service, videos of other hosts are opened in a new
 * tab. So no address that a customer or an app gives is requested by an agent's browser.
 */
const policyOf = (appsUrl: string | undefined, nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    // The own host for the page of the messenger.
    `frame-src 'self' ${frameSources(appsUrl).join(" ")}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** In the page, where libraries read it that add style elements. */
const NONCE_PLACEHOLDER = "__NONCE__";
const NONCE_BYTES = 16;

/** Where there is no console, its address leads to the only page of an agent's own. */
export const noConsoleMount: MountRoutes = (app, onRequest) => {
  app.get("/", { onRequest }, async (_, reply) => reply.redirect("/docs"));
  app.get(CONSOLE_PATH, { onRequest }, async (_, reply) => reply.redirect(PROFILE_PATH));
};

/**
 * Mounts the pages of the console. Every path below it that is neither a file nor an endpoint is a page: the script shows the page that the
 * address names. The address of a conversation leads there.
 */
export const consolePagesMount =
  ({ folder, appsUrl, random }: ConsolePagesDeps): MountRoutes =>
  async (app, onRequest) => {
    const page = await readFile(join(folder, "index.html"), "utf8");
    const headers = {
      "content-type": HTML_TYPE,
      "x-content-type-options": "nosniff",
      // Links in messages must not tell other sites the address of the conversation.
      "referrer-policy": "same-origin",
      "cache-control": "no-cache",
      "permissions-policy": "camera=(), microphone=(), geolocation=()",
    };
    const sendPage = (reply: FastifyReply) => {
      const nonce = random(NONCE_BYTES).toString("base64url");
      return reply
        .headers({ ...headers, "content-security-policy": policyOf(appsUrl, nonce) })
        .send(page.replace(NONCE_PLACEHOLDER, nonce));
    };
    await app.register(builtFiles({ folder, path: CONSOLE_PATH, onRequest }));
    const icon = await readFile(join(folder, "icon.svg"));
    app.get(`${CONSOLE_PATH}/icon.svg`, { onRequest }, async (_, reply) =>
      reply
        .headers({ "cache-control": "max-age=86400", "x-content-type-options": "nosniff" })
        .type("image/svg+xml")
        .send(icon),
    );
    app.get("/", { onRequest }, async (_, reply) => reply.redirect(CONSOLE_PATH));
    app.get(CONSOLE_PATH, { onRequest }, async (_, reply) => sendPage(reply));
    app.get(`${CONSOLE_PATH}/*`, { onRequest }, async ({ url }, reply) => {
      if (url.startsWith(`${CONSOLE_API}/`)) refuse(NOT_FOUND);
      return sendPage(reply);
    });
    app.get(`${CONVERSATION_PAGES}/:id`, { onRequest }, async ({ params }, reply) =>
      reply.redirect(
        `${CONSOLE_PATH}${CONVERSATION_PAGES}/${encodeURIComponent((params as { readonly id: string }).id)}`,
      ),
    );
  };
