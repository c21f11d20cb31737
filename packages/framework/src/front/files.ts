import { extname } from "node:path";
import type { FastifyInstance } from "fastify";
import { readBytes } from "../files/app-file.ts";
import type { Project } from "../project/project.ts";
import { blankPage } from "../project/checks/pages.ts";
import { withClient, withNotice } from "./markup.ts";
import { fileReader, framePolicy, isFrameHost, OWN_AGENT_CLUSTER } from "./origin.ts";
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
  const bytes = await readBytes(folder, `${below}/${file}`).catch(() => undefined);
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
      .header("content-security-policy", isFrameHost(request) ? framePolicy(request, project().name) : APART)
      .type(type)
      .send(bytes);
  });
};
