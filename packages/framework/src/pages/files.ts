import type { Log } from "@parley/telemetry";
import { CLIENT, fileReader, frameAncestorsPolicy, OWN_AGENT_CLUSTER, type SiteAddress } from "./origin.ts";
import { extname } from "node:path";
import type { FastifyInstance } from "fastify";
import { readAppFileBytes } from "../package/files/app-file.ts";
import type { Project } from "../model/project.ts";
import { blankPage } from "../package/validate/pages.ts";
import { PAGE_SCRIPT } from "../package/load/page-scripts.ts";
import type { Bundler } from "../package/bundler/bundler.ts";
import { stableBundle } from "../package/load/bundle.ts";
import { isRunnable, findingLine, type Finding } from "../model/finding.ts";

/** The latest compilation of a script. @shape version: the app's version at that time; good: the last code that compiled */
interface CompiledScript {
  readonly version: string;
  readonly errors: readonly Finding[];
  readonly lastGoodCode?: string;
}

/** Replaces a script that has never compiled: the browser's console shows the reason. */
const errorScript = (lines: readonly string[]): string => `throw new Error(${JSON.stringify(lines.join("\n"))});\n`;

/** Compiles TypeScript of app/ as packing does, with a source map. If a script has an error, its last good version is served. */
export const pageScripts = (bundler: Bundler, project: () => Project, log: Log) => {
  const scripts = new Map<string, CompiledScript>();

  const newest = async (file: string): Promise<string> => {
    const { folder, version } = project();
    const previous = scripts.get(file);
    const { code, findings } = await stableBundle(bundler, { folder, file, ...PAGE_SCRIPT, sourcemap: "inline" });
    const errors = isRunnable(findings) ? [] : findings.filter(({ level }) => level === "error");
    const lines = errors.map(findingLine);
    const isLogged = previous?.version === version && String(previous.errors.map(findingLine)) === String(lines);
    if (!isLogged) for (const line of lines) log(line, { level: "error" });
    const lastGoodCode = errors.length === 0 ? code : previous?.lastGoodCode;
    scripts.set(file, { version, errors, ...(lastGoodCode === undefined ? {} : { lastGoodCode }) });
    return lastGoodCode ?? errorScript(lines);
  };

  return {
    /** @shape file: relative to the app's folder, such as `app/scripts/start.ts`; -> JavaScript */
    newest,
    /** Findings in the scripts that the app's newest version has requested. */
    findings: (): readonly Finding[] =>
      [...scripts.values()].flatMap(({ version, errors }) => (version === project().version ? errors : [])),
  };
};
export type PageScripts = ReturnType<typeof pageScripts>;

/**
 * Placeholder for the client script in pages of the field: in place of an element, or of an address in an attribute. An author wrote two spellings
 * of it in a row.
 */
const CLIENT_PLACEHOLDER = /(["'=]?)(?:\{\{\{\s*appclient\s*\}\}\})+/gi;
/** Script elements of older pages, which load the client from another server. */
const SCRIPT_TAG = /<script\b[^>]*>/gi;
const OLD_CLIENT =
  /(\bsrc\s*=\s*)(?:"[^"]*?fresh_(?:client|parent)(?:\.min)?\.js(?:[?#][^"]*)?"|'[^']*?fresh_(?:client|parent)(?:\.min)?\.js(?:[?#][^']*)?'|[^\s"'>]*?fresh_(?:client|parent)(?:\.min)?\.js(?:[?#][^\s"'>]*)?(?=[\s>]))/i;
/** The integrity attribute, which would reject the script that replaces the original. */
const INTEGRITY_ATTRIBUTE = /\s+integrity\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/i;

const ATTRIBUTES = `(?:"[^"]*"|'[^']*'|[^>"'])*`;
/** Everything before the first element in a page's head, including its start tag. */
const BEFORE_HEAD = new RegExp(
  `^(?:\\s|\\uFEFF|<!--[\\s\\S]*?-->|<!doctype${ATTRIBUTES}>|<html(?=[\\s>])${ATTRIBUTES}>|<head(?=[\\s>])${ATTRIBUTES}>)*`,
  "i",
);
/** Matches a whole document. A fragment is loaded by the app's own scripts and is served unchanged. */
const DOCUMENT = /<(?:!doctype|html|head|body)\b/i;

/** Replaces the page's own references to the client by our address. A client that is loaded a second time has no effect. */
const withAddress = (html: string, address: string): string =>
  html
    .replace(CLIENT_PLACEHOLDER, (_mark, before: string) => {
      if (before === "") return `<script src="${address}"></script>`;
      return before === "=" ? `="${address}"` : before + address;
    })
    .replace(SCRIPT_TAG, (tag) =>
      OLD_CLIENT.test(tag) ? tag.replace(OLD_CLIENT, `$1"${address}"`).replace(INTEGRITY_ATTRIBUTE, "") : tag,
    );

/**
 * Makes our client the first script of an app's page. It blocks the parser, so that `app` is defined for every script of the page, however the page's own
 * reference to the client is loaded: async, deferred, after its users, or not at all.
 */
export const clientFirst = (html: string, address: string): string =>
  withAddress(html, address).replace(BEFORE_HEAD, (before) => `${before}<script src="${address}"></script>`);

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escapedText = (text: string): string => text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);

/** A page that states why it has no other content. */
const withNotice = (html: string, paragraphs: readonly string[]): string => {
  const lines = paragraphs.filter(Boolean).map((text) => `<p>${escapedText(text)}</p>`);
  const notice = `<div role="alert">${lines.join("")}</div>`;
  return /<\/body>/i.test(html) ? html.replace(/<\/body>/i, () => `${notice}</body>`) : html + notice;
};

/** Returns a page or a page fragment of the app as it is served. */
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
 * Returns a file below a part of the app's folder by its URL path; undefined for a file that doesn't exist, is hidden, or is a link out of the
 * folder.
 * @shape below: relative to the app's folder, with `/`
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

interface ServedContent {
  readonly type: string;
  readonly bytes: Buffer | string;
}

const SCRIPT = TYPES[".js"] ?? "";

/** Pages get our client, and a notice if they would stay blank; scripts are compiled for browsers; other files are unchanged. */
const servedContent = async (
  folder: string,
  path: string,
  { type, bytes }: { type: string; bytes: Buffer },
  scripts: PageScripts,
): Promise<ServedContent> => {
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
const FRAME_POLICY = "sandbox allow-scripts allow-forms allow-popups allow-modals; frame-ancestors 'self'";

/**
 * `GET /app/*`: the app's pages for agents, read from its folder on each request. Under the frames' host name a page has that origin;
 * under ours it has an opaque origin.
 */
export const appFiles = (
  app: FastifyInstance,
  {
    project,
    scripts,
    site,
  }: { readonly project: () => Project; readonly scripts: PageScripts; readonly site: SiteAddress },
): void => {
  app.get<{ Params: { "*": string } }>("/app/*", async (request, reply) => {
    const path = request.params["*"];
    const { folder } = project();
    const file = await fileBelow(folder, "app", path);
    if (!file) return reply.code(404).type("text/plain").send("There is no such file in app/.");
    const { type, bytes } = await servedContent(folder, path, file, scripts);
    const reader = fileReader(request, site);
    if (reader !== undefined) reply.header("access-control-allow-origin", reader);
    return reply
      .headers(HEADERS)
      .header("content-security-policy", site.isFrameHost(request) ? frameAncestorsPolicy(request, site) : FRAME_POLICY)
      .type(type)
      .send(bytes);
  });
};
