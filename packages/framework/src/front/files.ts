import { CLIENT, fileReader, frameAncestorsPolicy, isFrameHost, OWN_AGENT_CLUSTER } from "./origin.ts";
import { extname } from "node:path";
import type { FastifyInstance } from "fastify";
import { readAppFileBytes } from "../package/files/app-file.ts";
import type { Project } from "../package/model/project.ts";
import { blankPage } from "../package/validate/pages.ts";
import type { PageScripts } from "./scripts.ts";

/** Where a page of the field has the client script put: an element's place, or an address in an attribute. */
const MARK = /(["']?)\{\{\{\s*appclient\s*\}\}\}/g;
/** A script element of older pages, which load the client from elsewhere. */
const SCRIPT_TAG = /<script\b[^>]*>/gi;
const OLD_CLIENT =
  /(\bsrc\s*=\s*)(?:"[^"]*?fresh_(?:client|parent)(?:\.min)?\.js(?:[?#][^"]*)?"|'[^']*?fresh_(?:client|parent)(?:\.min)?\.js(?:[?#][^']*)?'|[^\s"'>]*?fresh_(?:client|parent)(?:\.min)?\.js(?:[?#][^\s"'>]*)?(?=[\s>]))/i;
/** Seals the bytes of the script that ours stands in for. */
const SEAL = /\s+integrity\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/i;

const ATTRIBUTES = `(?:"[^"]*"|'[^']*'|[^>"'])*`;
/** What stands before the first element in a page's head, its start tag included. */
const BEFORE_HEAD = new RegExp(
  `^(?:\\s|\\uFEFF|<!--[\\s\\S]*?-->|<!doctype${ATTRIBUTES}>|<html(?=[\\s>])${ATTRIBUTES}>|<head(?=[\\s>])${ATTRIBUTES}>)*`,
  "i",
);
/** A whole document; a part of one is read by the app's own scripts, as it lies in the folder. */
const DOCUMENT = /<(?:!doctype|html|head|body)\b/i;

/** The page's own references to the client, at our address: a client that is loaded a second time leaves the first one as it is. */
const withAddress = (html: string, address: string): string =>
  html
    .replace(MARK, (_mark, quote: string) => (quote ? `${quote}${address}` : `<script src="${address}"></script>`))
    .replace(SCRIPT_TAG, (tag) =>
      OLD_CLIENT.test(tag) ? tag.replace(OLD_CLIENT, `$1"${address}"`).replace(SEAL, "") : tag,
    );

/**
 * A page of the app whose first script is our client. It blocks the parser, so that `app` is there for every script of the page, however the page's own
 * reference to the client is loaded: async, deferred, after its users, or not at all.
 */
export const clientFirst = (html: string, address: string): string =>
  withAddress(html, address).replace(BEFORE_HEAD, (before) => `${before}<script src="${address}"></script>`);

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escapedText = (text: string): string => text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);

/** A page that says why it has nothing else to show. */
const withNotice = (html: string, paragraphs: readonly string[]): string => {
  const lines = paragraphs.filter(Boolean).map((text) => `<p>${escapedText(text)}</p>`);
  const notice = `<div role="alert">${lines.join("")}</div>`;
  return /<\/body>/i.test(html) ? html.replace(/<\/body>/i, () => `${notice}</body>`) : html + notice;
};

/** What the app's pages and parts of pages are served as. */
const withClient = (html: string): string =>
  DOCUMENT.test(html) || withAddress(html, CLIENT) !== html ? clientFirst(html, CLIENT) : html;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".ico": "image/x-icon",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

/**
 * A file below a part of the app's folder by its address; undefined for a file that isn't there, is hidden, or is a link out of the
 * folder.
 * @shape below: from the app's folder, with `/`
 */
export async function fileBelow(
  folder: string,
  below: string,
  path: string,
): Promise<{ type: string; bytes: Buffer } | undefined> {
  const file = path === "" ? "index.html" : path;
  const names = file.split("/");
  if (names.some((name) => name.startsWith(".") || name.includes("\0"))) return undefined;
  const bytes = await readAppFileBytes(folder, `${below}/${file}`).catch(() => undefined);
  return bytes && { type: TYPES[extname(file).toLowerCase()] ?? "application/octet-stream", bytes };
}

interface Shown {
  readonly type: string;
  readonly bytes: Buffer | string;
}

const SCRIPT = TYPES[".js"] ?? "";

/** Pages with our client, and with what they lack where they would stay blank; scripts as browsers read them; other files as they lie. */
const shown = async (
  folder: string,
  path: string,
  { type, bytes }: { type: string; bytes: Buffer },
  scripts: PageScripts,
): Promise<Shown> => {
  if (/\.(?:ts|[jt]sx)$/i.test(path)) return { type: SCRIPT, bytes: await scripts.newest(`app/${path}`) };
  if (!type.startsWith("text/html")) return { type, bytes };
  const text = bytes.toString("utf8");
  const blank = await blankPage(folder, { file: `app/${path === "" ? "index.html" : path}`, text });
  const page = withClient(text);
  return { type, bytes: blank ? withNotice(page, [blank.message, blank.help ?? ""]) : page };
};

const HEADERS = {
  ...OWN_AGENT_CLUSTER,
  vary: "origin",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};
const APART = "sandbox allow-scripts allow-forms allow-popups allow-modals; frame-ancestors 'self'";

/**
 * `GET /app/*`: what the app shows to agents, as it lies in its folder at the moment. Under the frames' name a page has that origin;
 * under ours it has none.
 */
export const appFiles = (app: FastifyInstance, project: () => Project, scripts: PageScripts): void => {
  app.get<{ Params: { "*": string } }>("/app/*", async (request, reply) => {
    const path = request.params["*"];
    const { folder } = project();
    const file = await fileBelow(folder, "app", path);
    if (!file) return reply.code(404).type("text/plain").send("There is no such file in app/.");
    const { type, bytes } = await shown(folder, path, file, scripts);
    const reader = fileReader(request);
    if (reader !== undefined) reply.header("access-control-allow-origin", reader);
    return reply
      .headers(HEADERS)
      .header("content-security-policy", isFrameHost(request) ? frameAncestorsPolicy(request, project().name) : APART)
      .type(type)
      .send(bytes);
  });
};
