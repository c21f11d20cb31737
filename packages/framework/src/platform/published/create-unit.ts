import type { FastifyRequest } from "fastify";
import { publishedSiteAddress, siteLabel } from "../../front/origin.ts";
import { signedInAgentOf } from "../../identity/page-session.ts";
import type { Project } from "../../package/model/project.ts";
import { eventRoute, EVENTS_PATH } from "../../runtime/events/route.ts";
import type { RecordOwner } from "../../runtime/records/store.ts";
import type { PageSessions } from "../../sign-in/page-sessions.ts";
import { requirePageSession } from "../../sign-in/ticket-gate.ts";
import { createAppUnit, type AppUnit, type SharedUnitDeps } from "../../unit/app-unit.ts";

interface PublishedUnitDeps {
  readonly shared: SharedUnitDeps;
  /** Scheme and host of all apps. */
  readonly appsUrl: URL;
  /** Origin of the service's pages in browsers. */
  readonly serviceOrigin: string;
  readonly sessions: PageSessions;
  readonly adminKey: string;
  /** Secrets that sign the events of an installation: the present one, then those before a rotation of the key. */
  readonly eventSecretsOf: (installation: string) => readonly string[];
  /** Called after each change of the installation by its page. */
  readonly changed: (owner: RecordOwner) => Promise<void>;
}

/** Origin of the site of an app on an account. */
export const siteOriginOf = (appsUrl: URL, app: string, account: string): string =>
  `${appsUrl.protocol}//${siteLabel(app, account) ?? `${app}--${account}`}.${appsUrl.host}`;

const installationIn = (request: FastifyRequest): string => (request.params as { readonly id?: string }).id ?? "";

/** Creates the unit of a published app on an account, in one version. */
export const createPublishedUnit = (
  deps: PublishedUnitDeps,
  owner: RecordOwner,
  version: string,
  project: Project,
): AppUnit => {
  const { shared, appsUrl, sessions } = deps;
  const { vault, ports, log, domainSuffix } = shared;
  const label = siteLabel(owner.project, owner.account) ?? "";
  const address = publishedSiteAddress(label, appsUrl.host);
  // The same in all processes. The version chooses the form that a request of the page belongs to.
  const pageSecret = () =>
    `${version}~${vault.derive(`page-token/${owner.account}/${owner.project}/${version}`).toString("base64url")}`;
  const newest = { project, findings: [] };
  return createAppUnit(shared, {
    newest: () => newest,
    account: { name: owner.account, domain: owner.account + domainSuffix },
    appVersion: version,
    address,
    siteOrigin: () => siteOriginOf(appsUrl, owner.project, owner.account),
    isOwnHost: (request) =>
      address.isPageHost(request) || address.isFrameHost(request) || request.url.startsWith(`${EVENTS_PATH}/`),
    pageSecret,
    signIn: (site) =>
      requirePageSession(site, {
        sessions,
        serviceOrigin: deps.serviceOrigin,
        title: owner.project,
        site: address,
        account: owner.account,
      }),
    authorOf: (request) => ({ agent: signedInAgentOf(request), address: request.ip }),
    changed: () => deps.changed(owner),
    adminKey: deps.adminKey,
    installForAuthor: async (engine, iparams) => {
      const answer = await engine.install({ values: iparams, attributes: {} }, {});
      await deps.changed(owner);
      return answer.ok ? { ok: true } : answer;
    },
    more: (site, { engine, conversations }) =>
      eventRoute(site, `${EVENTS_PATH}/:id`, {
        async receiverOf(request) {
          const installation = await engine.installations.find();
          if (installation?.id !== installationIn(request)) return undefined;
          return {
            ...engine,
            secret: () => deps.eventSecretsOf(installation.id)[0] ?? "",
            earlierSecrets: () => deps.eventSecretsOf(installation.id).slice(1),
            onEvent: conversations.receiveEvent,
          };
        },
        now: ports.now,
        log,
      }),
  });
};
