import type { IncomingMessage, ServerResponse } from "node:http";
import { isHeldElsewhere } from "../model/held-elsewhere.ts";
import Fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from "fastify";
import type { HostActivity } from "@parley/contract";
import { isUnavailable } from "@parley/database";
import type { Log } from "@parley/telemetry";
import { controlRoutes } from "../control/routes.ts";
import { DATABASE_UNAVAILABLE } from "../state/db/unavailable.ts";
import type { HostPorts } from "../environment/ports.ts";
import type { HostSettings } from "../environment/settings.ts";
import { appFiles, pageScripts } from "../pages/files.ts";
import type { OpenConversationSource } from "../front/open-conversations.ts";
import { isOpenToFrames, type SiteAddress } from "../pages/origin.ts";
import { agentPage } from "../front/agent-page.ts";
import { installationPage, type InstallationPageDeps } from "../installation/page/installation-page.ts";
import { isOurHost } from "../pages/page-guard.ts";
import type { Bundler } from "../package/bundler/bundler.ts";
import type { NewestProject } from "../package/live-project.ts";
import { oauthRoutes } from "../request/oauth/routes.ts";
import type { Invocations } from "../state/invocations.sql.ts";
import { targetRoute, TARGETS_PATH } from "../runtime/triggers/targets.ts";
import { readJsonBodies } from "../pages/json-bodies.ts";
import type { AppEngine } from "./engine.ts";

/** The pages and routes of an app on an account. */
export interface AppSite {
  handle(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
}

/** Author's endpoints below `/admin`, with the admin key as bearer token. */
interface SiteControl {
  readonly adminKey: string;
  /** Installs the app; the address and key of the local account are filled in for parameters that take them. */
  readonly install: (iparams: Readonly<Record<string, unknown>>) => Promise<object>;
  readonly activity: () => Promise<HostActivity>;
}

interface AppSiteOptions {
  readonly engine: AppEngine;
  /** Whether the app is read from a folder. */
  readonly isLive: boolean;
  readonly newest: () => NewestProject;
  readonly address: SiteAddress;
  readonly siteOrigin: () => string;
  readonly bundler: Bundler;
  readonly conversations: OpenConversationSource;
  readonly invocations: Invocations;
  readonly settings: HostSettings;
  readonly ports: HostPorts;
  readonly domainSuffix: string;
  /** Unguessable token of pages; the same in all processes that serve the site. */
  readonly pageSecret: () => string;
  /** Host names at which targets are addressed besides those of this machine. */
  readonly targetHosts: readonly string[];
  /** Whether a request came by a host name of this site. */
  readonly isOwnHost: (request: FastifyRequest) => boolean;
  /** Admits the page that the console embeds by its sessions; absent: there is no such page. */
  readonly embedded?: ((host: FastifyInstance) => void) | undefined;
  /** Requires sessions for the pages. */
  readonly signIn?: ((host: FastifyInstance) => Promise<void>) | undefined;
  /** Proxies whose X-Forwarded-For header names the client. */
  readonly trustProxy?: boolean | string[] | undefined;
  readonly authorOf?: InstallationPageDeps["authorOf"];
  readonly changed?: InstallationPageDeps["changed"];
  readonly keys?: InstallationPageDeps["keys"];
  readonly versions?: InstallationPageDeps["versions"];
  readonly control?: SiteControl | undefined;
  /** Routes that only this site has. */
  readonly more?: (site: FastifyInstance) => void | Promise<void>;
  readonly log: Log;
}

/** Creates the site of an app on an account: its installation page, the agent's page, its files and its addresses. */
export async function createAppSite(options: AppSiteOptions): Promise<AppSite> {
  const { engine, newest, address, bundler, conversations, invocations, settings, ports, log, domainSuffix } = options;
  const project = () => newest().project;
  const site = Fastify({ trustProxy: options.trustProxy ?? false });
  readJsonBodies(site);
  site.addHook("onRequest", async (request, reply) => {
    const isTarget = request.url.startsWith(`${TARGETS_PATH}/`) && isOurHost(request, options.targetHosts);
    const isClosed = address.isFrameHost(request) && !isOpenToFrames(request);
    if (isClosed || !(isTarget || options.isOwnHost(request)))
      return reply.code(421).send({ message: "This host is not known by that name." });
    return undefined;
  });
  site.setErrorHandler<FastifyError>(async (error, { method, routeOptions }, reply) => {
    if (isUnavailable(error)) {
      const { retryAfterSeconds, message } = DATABASE_UNAVAILABLE;
      return reply.code(503).header("retry-after", retryAfterSeconds).send({ message });
    }
    const { statusCode = 500, message } = error;
    if (isHeldElsewhere(error)) return reply.code(503).header("retry-after", 1).send({ message });
    if (statusCode < 500) return reply.code(statusCode).send({ message });
    log(`${method} ${routeOptions.url ?? ""} failed: ${message}`, { level: "error" });
    return reply.code(500).send({ message: "The host failed; its log says why." });
  });
  options.embedded?.(site);
  await options.signIn?.(site);
  await options.more?.(site);
  targetRoute(site, { ...engine, project, settings, now: ports.now, log });
  oauthRoutes(site, { ...engine.oauth, ...ports, project, siteOrigin: options.siteOrigin });
  const scripts = pageScripts(bundler, project, log);
  appFiles(site, { project, scripts, site: address });
  const { pageSecret } = options;
  const embedding = options.embedded && { isLive: options.isLive };
  agentPage(site, { ...engine, conversations, scripts, project, newest, pageSecret, site: address, embedding, log });
  installationPage(site, {
    ...engine,
    site: address,
    ...engine.requests,
    connections: engine.oauth.connections,
    loaded: newest,
    domainSuffix,
    usualDomain: engine.account.domain,
    pageSecret,
    ...(options.authorOf && { authorOf: options.authorOf }),
    ...(options.changed && { changed: options.changed }),
    ...(options.keys && { keys: options.keys }),
    ...(options.versions && { versions: options.versions }),
  });
  const raised = { ...engine, project, invocations, now: ports.now };
  const { control } = options;
  if (control) controlRoutes(site, { ...raised, ...control, uninstall: engine.uninstall });
  await site.ready();
  return {
    handle: (request, response) => site.routing(request, response),
    close: () => site.close(),
  };
}
