import type { FastifyInstance, FastifyRequest } from "fastify";
import { fileBelow, clientFirst } from "../../../pages/files.ts";
import { INSTALL_PAGE, OWN_AGENT_CLUSTER, OWN_PAGE_ROUTES, type SiteAddress } from "../../../pages/origin.ts";
import type { Project } from "../../../model/project.ts";

/**
 * Sources that the page may load: resources over https, and its own files. Our page alone may embed it.
 * @assumed An app's own page may load components from elsewhere, as public apps do: its code sees everything that is typed there in any
 * case, and stored secure values are never sent to it.
 */
const policyOf = (...more: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self' https: 'unsafe-inline' 'unsafe-eval'",
    "style-src 'self' https: 'unsafe-inline'",
    "img-src 'self' https: data: blob:",
    "font-src 'self' https: data:",
    "media-src 'self' https: data:",
    "worker-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    ...more,
  ].join("; ");

/** Under our own host name the sandbox takes the origin away, so that the page's code can't read data of the host. */
const SANDBOX_POLICY = policyOf(
  // Components of the field fetch icons that belong to them.
  "connect-src https: data:",
  "frame-ancestors 'self'",
  "sandbox allow-scripts allow-forms allow-popups allow-modals",
);

/** Under the frames' host name the page has that origin, whose addresses are its own files and those of `app/`. */
const ownPolicy = (request: FastifyRequest, site: SiteAddress): string =>
  site.isFrameHost(request)
    ? policyOf("connect-src 'self' https: data:", `frame-ancestors ${site.pageOrigin(request)}`)
    : SANDBOX_POLICY;

/** A script beside the page without a `crossorigin` attribute. */
const OWN_SCRIPT = /<script\b(?![^>]*\bcrossorigin\b)(?=[^>]*\bsrc\s*=\s*["']?(?![a-z]+:|\/\/))/gi;

/** Errors in the app's own scripts keep their text: for a page with an opaque origin the browser would otherwise hide it. */
const readable = (html: string): string => html.replace(OWN_SCRIPT, "<script crossorigin");

interface OwnPageDeps {
  readonly project: () => Project | undefined;
  readonly site: SiteAddress;
  /** The client script. */
  readonly client: string;
}

/** Path of a route in the scope of the installation page. */
const inScope = (route: string): string => route.slice(INSTALL_PAGE.length);

/** The page config/iparams.html, the files in config/assets, and the client script. */
export const ownPageRoutes = (scope: FastifyInstance, { project, site, client }: OwnPageDeps): void => {
  const headers = (request: FastifyRequest) => ({
    ...OWN_AGENT_CLUSTER,
    "content-security-policy": ownPolicy(request, site),
  });
  for (const folder of OWN_PAGE_ROUTES.folders) {
    scope.get(inScope(folder), async (request, reply) => {
      const page = project()?.ownPage;
      if (page === undefined) return reply.code(404).type("text/plain").send("This app has no page of its own.");
      return reply
        .headers(headers(request))
        .type("text/html; charset=utf-8")
        .send(readable(clientFirst(page, OWN_PAGE_ROUTES.client)));
    });
    scope.get<{ Params: { "*": string } }>(inScope(`${folder}assets/*`), async (request, reply) => {
      const root = project()?.folder;
      const file = root && (await fileBelow(root, "config/assets", request.params["*"]));
      if (!file) return reply.code(404).type("text/plain").send("There is no such file in config/assets.");
      // Where the page has an opaque origin, browsers request modules and fonts across origins.
      return reply
        .headers({ ...headers(request), "access-control-allow-origin": "*" })
        .type(file.type)
        .send(file.bytes);
    });
  }
  scope.get(inScope(OWN_PAGE_ROUTES.client), async (_request, reply) =>
    reply.header("access-control-allow-origin", "*").type("text/javascript; charset=utf-8").send(client),
  );
};
