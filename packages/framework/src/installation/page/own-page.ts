import type { FastifyInstance } from "fastify";
import { fileBelow, clientFirst } from "../../front/files.ts";
import type { Project } from "../../package/model/project.ts";

/** Of the scope under `/custom_configs`. */
const CLIENT = "/custom_configs/own-client.js";

/**
 * The frame has no origin, so that its code can read nothing of ours; what its author wrote may load what it needs over https, and
 * shows itself in our page only.
 * @assumed A page of the app's own may load components from elsewhere, as public apps do; nothing is typed there that its code does
 * not see anyway, and what is stored as secure never comes to it.
 */
const OWN_POLICY = [
  "default-src 'none'",
  "script-src 'self' https: 'unsafe-inline' 'unsafe-eval'",
  "style-src 'self' https: 'unsafe-inline'",
  "img-src 'self' https: data: blob:",
  "font-src 'self' https: data:",
  "media-src 'self' https: data:",
  // Components of the field fetch icons that are part of them.
  "connect-src https: data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
  "sandbox allow-scripts allow-forms allow-popups allow-modals",
].join("; ");

/** A script that lies beside the page, and does not say already how it is asked for. */
const OWN_SCRIPT = /<script\b(?![^>]*\bcrossorigin\b)(?=[^>]*\bsrc\s*=\s*["']?(?![a-z]+:|\/\/))/gi;

/** Errors in the app's own scripts have their text: to a page without an origin they would else be a stranger's. */
const readable = (html: string): string => html.replace(OWN_SCRIPT, "<script crossorigin");

/** `GET /own/`: the page in config/iparams.html and what lies beside it in config/assets. */
export const ownPageRoutes = (scope: FastifyInstance, project: () => Project | undefined, client: string): void => {
  scope.get("/own/", async (_request, reply) => {
    const page = project()?.ownPage;
    if (page === undefined) return reply.code(404).type("text/plain").send("This app has no page of its own.");
    return reply
      .header("content-security-policy", OWN_POLICY)
      .type("text/html; charset=utf-8")
      .send(readable(clientFirst(page, CLIENT)));
  });
  scope.get<{ Params: { "*": string } }>("/own/assets/*", async ({ params }, reply) => {
    const folder = project()?.folder;
    const file = folder && (await fileBelow(folder, "config/assets", params["*"]));
    if (!file) return reply.code(404).type("text/plain").send("There is no such file in config/assets.");
    // The page has no origin, and a script that is a module, or a font, is asked for by one.
    return reply
      .header("access-control-allow-origin", "*")
      .header("content-security-policy", OWN_POLICY)
      .type(file.type)
      .send(file.bytes);
  });
  scope.get("/own-client.js", async (_request, reply) =>
    reply.header("access-control-allow-origin", "*").type("text/javascript; charset=utf-8").send(client),
  );
};
