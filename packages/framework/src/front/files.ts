import { readFile, realpath } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Project } from "../project/project.ts";
import { withClient } from "./markup.ts";
import { fileReader, framePolicy, isFrameHost } from "./origin.ts";
import type { PageScripts } from "./scripts.ts";

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

/** A file below a folder by its address; undefined for what isn't there, lies elsewhere or is hidden. */
export async function fileIn(folder: string, path: string): Promise<{ type: string; bytes: Buffer } | undefined> {
  const names = path.split("/");
  if (names.some((name) => name.startsWith(".") || name.includes("\0"))) return undefined;
  try {
    const root = await realpath(folder);
    const file = await realpath(join(root, path === "" ? "index.html" : path));
    // A link in the folder may lead anywhere.
    if (!file.startsWith(root + sep)) return undefined;
    return { type: TYPES[extname(file).toLowerCase()] ?? "application/octet-stream", bytes: await readFile(file) };
  } catch {
    return undefined;
  }
}

interface Shown {
  readonly type: string;
  readonly bytes: Buffer | string;
}

const SCRIPT = TYPES[".js"] ?? "";

/** Pages with our client, scripts as browsers read them; other files as they lie. */
const shown = async (
  path: string,
  { type, bytes }: { type: string; bytes: Buffer },
  scripts: PageScripts,
): Promise<Shown> => {
  if (path.endsWith(".ts")) return { type: SCRIPT, bytes: await scripts.newest(`app/${path}`) };
  return { type, bytes: type.startsWith("text/html") ? withClient(bytes.toString("utf8")) : bytes };
};

const HEADERS = {
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
    const file = await fileIn(join(project().folder, "app"), path);
    if (!file) return reply.code(404).type("text/plain").send("There is no such file in app/.");
    const { type, bytes } = await shown(path, file, scripts);
    const reader = fileReader(request);
    if (reader !== undefined) reply.header("access-control-allow-origin", reader);
    return reply
      .headers(HEADERS)
      .header("content-security-policy", isFrameHost(request) ? framePolicy(request) : APART)
      .type(type)
      .send(bytes);
  });
};
