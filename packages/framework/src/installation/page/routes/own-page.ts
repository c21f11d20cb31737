import type { FastifyInstance } from "fastify";
import { fileBelow, clientFirst } from "../../../front/files.ts";
import type { Project } from "../../../package/model/project.ts";

/** URL of the client script in the scope under `/custom_configs`. */
const CLIENT = "/custom_configs/own-client.js";

/**
 * The frame has an opaque origin, so that its code can't read data of the host. The page may load resources over https, and may be
 * embedded by our page only.
 * @assumed An app's own page may load components from elsewhere, as public apps do: its code sees everything that is typed there in any
 * case, and stored secure values are never sent to it.
 */
const OWN_POLICY = [
  "default-src 'none'",
  "script-src 'self' https: 'unsafe-inline' 'unsafe-eval'",
  "style-src 'self' https: 'unsafe-inline'",
  "img-src 'self' https: data: blob:",
  "font-src 'self' https: data:",
  "media-src 'self' https: data:",
  // Components of the field fetch icons that belong to them.
  "connect-src https: data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
  "sandbox allow-scripts allow-forms allow-popups allow-modals",
].join("; ");

/** A script beside the page without a `crossorigin` attribute. */
const OWN_SCRIPT = /<script\b(?![^>]*\bcrossorigin\b)(?=[^>]*\bsrc\s*=\s*["']?(?![a-z]+:|\/\/))/gi;

/** Errors in the app's own scripts keep their text: for a page with an opaque origin the browser would otherwise hide it. */
const readable = (html: string): string => html.replace(OWN_SCRIPT, "<script crossorigin");

/** Published apps have the version in the address, so that files belong to the version of the page. */
const FOLDERS = ["/own/", "/own/version/:version/"];

/** `GET /own/`: the page config/iparams.html and the files in config/assets. */
export const ownPageRoutes = (scope: FastifyInstance, project: () => Project | undefined, client: string): void => {
  for (const folder of FOLDERS) {
    scope.get(folder, async (_request, reply) => {
      const page = project()?.ownPage;
      if (page === undefined) return reply.code(404).type("text/plain").send("This app has no page of its own.");
      return reply
        .header("content-security-policy", OWN_POLICY)
        .type("text/html; charset=utf-8")
        .send(readable(clientFirst(page, CLIENT)));
    });
    scope.get<{ Params: { "*": string } }>(`${folder}assets/*`, async ({ params }, reply) => {
      const root = project()?.folder;
      const file = root && (await fileBelow(root, "config/assets", params["*"]));
      if (!file) return reply.code(404).type("text/plain").send("There is no such file in config/assets.");
      // The page has an opaque origin, and browsers request modules and fonts with an origin.
      return reply
        .header("access-control-allow-origin", "*")
        .header("content-security-policy", OWN_POLICY)
        .type(file.type)
        .send(file.bytes);
    });
  }
  scope.get("/own-client.js", async (_request, reply) =>
    reply.header("access-control-allow-origin", "*").type("text/javascript; charset=utf-8").send(client),
  );
};
