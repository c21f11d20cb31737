import Handlebars from "handlebars";
import type { CatalogueApp, InstallationDetails } from "@parley/contract";
import type { FastifyInstance } from "fastify";
import { SITE_NAMES_MAX, siteLabel } from "../../pages/origin.ts";
import { builtText, sourceText } from "../../environment/assets.ts";
import type { PageSession } from "../../identity/page-session.ts";
import { PAGE_HEADERS, PAGE_POLICY } from "../../pages/page-guard.ts";
import { catalogueOf } from "../../publishing/catalogue.ts";
import type { PackageStore } from "../../publishing/store.ts";
import { requirePageSession } from "../../sign-in/ticket-gate.ts";
import type { PageSessions } from "../../sign-in/page-sessions.ts";
import type { InstallationLifecycle } from "../lifecycle/lifecycle.ts";

interface CataloguePageDeps {
  readonly sessions: PageSessions;
  /** Origin of the service's pages in browsers. */
  readonly serviceOrigin: string;
  /** Host of all apps. @shape with its port, if the URL has a port */
  readonly appsHost: string;
  /** Issues the token that the page sends with changes. */
  readonly issue: (session: PageSession | undefined) => string;
  readonly store: PackageStore;
  readonly lifecycle: Pick<InstallationLifecycle, "list">;
  /** Address of the installation page of an app on an account. */
  readonly pageOf: (app: string, account: string) => string;
}

interface InstalledView extends Partial<InstallationDetails> {
  readonly icon: string;
  readonly initial: string;
  readonly description: string;
  readonly isPaused: boolean;
  readonly newer_version: string;
  readonly previous_version: string;
  /** Address of the agent's page; "" for an app without pages. */
  readonly agentPage: string;
}

interface AvailableView {
  readonly name: string;
  readonly title: string;
  readonly icon: string;
  readonly initial: string;
  readonly description: string;
  readonly version: string;
  readonly needs: string;
  /** Address of the installation page; "" for an app whose name does not fit into a host name beside the account's. */
  readonly page: string;
}

interface CatalogueView {
  readonly account: string;
  readonly email: string;
  readonly token: string;
  readonly installed: readonly InstalledView[];
  readonly available: readonly AvailableView[];
  readonly namesMax: number;
}

const installedView = (installation: InstallationDetails, app: CatalogueApp | undefined): InstalledView => ({
  ...installation,
  icon: app?.icon ?? "",
  initial: installation.title.charAt(0),
  description: app?.description ?? "",
  isPaused: installation.state === "paused",
  newer_version: installation.newer_version ?? "",
  previous_version: installation.previous_version ?? "",
  agentPage: app && app.declaration.places.length > 0 ? new URL("/", installation.page).href : "",
});

/** The page where admins of an account find the apps that they can install, and those that are installed. */
export const cataloguePage = async (host: FastifyInstance, deps: CataloguePageDeps): Promise<void> => {
  const page = Handlebars.create().compile<CatalogueView>(await sourceText("platform/catalogue/views/catalogue.hbs"), {
    strict: true,
    knownHelpersOnly: true,
  });
  const [baseStyle, style, script] = await Promise.all([
    builtText("installation-page.css"),
    sourceText("platform/catalogue/views/catalogue.css"),
    builtText("catalogue.js"),
  ]);

  await host.register(async (scope) => {
    await requirePageSession(scope, {
      sessions: deps.sessions,
      serviceOrigin: deps.serviceOrigin,
      title: "Apps",
      site: { isFrameHost: () => false },
    });
    const css = "text/css; charset=utf-8";
    scope.get("/custom_configs/page.css", async (_request, reply) => reply.type(css).send(baseStyle));
    scope.get("/catalogue/page.css", async (_request, reply) => reply.type(css).send(style));
    scope.get("/catalogue/page.js", async (_request, reply) =>
      reply.type("text/javascript; charset=utf-8").send(script),
    );
    scope.get("/", async (_request, reply) => reply.redirect("/catalogue", 302));
    scope.get("/catalogue", async ({ pageSession }, reply) => {
      const agent = pageSession?.agent;
      const account = agent?.account ?? "";
      const [apps, installations] = await Promise.all([catalogueOf(deps.store, account), deps.lifecycle.list(account)]);
      const isInstalled = (name: string) => installations.some((installation) => installation.name === name);
      const view: CatalogueView = {
        account,
        email: agent?.email ?? "",
        token: deps.issue(pageSession),
        installed: installations.map((installation) =>
          installedView(
            installation,
            apps.find(({ name }) => name === installation.name),
          ),
        ),
        namesMax: SITE_NAMES_MAX,
        available: apps
          .filter(({ name }) => !isInstalled(name))
          .map(({ name, title, icon = "", description, versions, declaration }) => ({
            name,
            title,
            icon,
            initial: title.charAt(0),
            description,
            version: versions[0]?.version ?? "",
            needs: declaration.permissions.join(", "),
            page: siteLabel(name, account) === undefined ? "" : deps.pageOf(name, account),
          })),
      };
      return reply
        .headers(PAGE_HEADERS)
        .header("content-security-policy", PAGE_POLICY)
        .type("text/html; charset=utf-8")
        .send(page(view));
    });
  });
};
