import { readFile, realpath } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Project } from "../project/project.ts";

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

/** A file of app/ by its address; undefined for what isn't there, lies elsewhere or is hidden. */
async function fileIn(folder: string, path: string): Promise<{ type: string; bytes: Buffer } | undefined> {
  const names = path.split("/");
  if (names.some((name) => name.startsWith(".") || name.includes("\0"))) return undefined;
  try {
    const root = await realpath(join(folder, "app"));
    const file = await realpath(join(root, path === "" ? "index.html" : path));
    // A link in the folder may lead anywhere.
    if (!file.startsWith(root + sep)) return undefined;
    return { type: TYPES[extname(file).toLowerCase()] ?? "application/octet-stream", bytes: await readFile(file) };
  } catch {
    return undefined;
  }
}

/** Where a page of the field has the client script put. @assumed nothing stands there as long as a page is shown beside no conversation */
const CLIENT_MARK = "{{{appclient}}}";

/** A page as it is shown; other files as they lie. */
const shown = ({ type, bytes }: { type: string; bytes: Buffer }): Buffer | string =>
  type.startsWith("text/html") ? bytes.toString("utf8").replaceAll(CLIENT_MARK, "") : bytes;

/**
 * Apart from the host's own pages: a script of app/ may not read the installation page, which stands at the same address.
 * Scripts that are modules are then asked for by nobody's origin.
 */
const APART = {
  "content-security-policy": "sandbox allow-scripts allow-forms allow-popups allow-modals",
  "access-control-allow-origin": "*",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

/** `GET /app/*`: what the app shows to agents, as it lies in its folder at the moment. */
export const appFiles = (app: FastifyInstance, project: () => Project): void => {
  app.get<{ Params: { "*": string } }>("/app/*", async ({ params }, reply) => {
    const file = await fileIn(project().folder, params["*"]);
    if (!file) return reply.code(404).type("text/plain").send("There is no such file in app/.");
    return reply.headers(APART).type(file.type).send(shown(file));
  });
};
