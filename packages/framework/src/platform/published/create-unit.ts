import { consoleOriginsOf, publishedSiteAddress, siteLabel } from "../../pages/origin.ts";
import type { ServiceAccess } from "../../front/service.ts";
import { signedInAgentOf } from "../../identity/page-session.ts";
import type { PageKeys } from "../../installation/page/routes/created-keys.ts";
import type { PageVersions } from "../../installation/page/routes/page-versions.ts";
import type { Project } from "../../model/project.ts";
import type { RecordOwner } from "../../state/records.sql.ts";
import type { PageSessions } from "../../sign-in/page-sessions.ts";
import { acceptEmbeddedSessions } from "../../sign-in/embedded-gate.ts";
import { requirePageSession } from "../../sign-in/ticket-gate.ts";
import { createAppUnit, type AppUnit, type SharedUnitDeps } from "../../unit/app-unit.ts";

export interface PublishedUnitDeps {
  readonly shared: SharedUnitDeps;
  /** Scheme and host of all apps. */
  readonly appsUrl: URL;
  /** Origin of the service's pages in browsers. */
  readonly serviceOrigin: string;
  readonly sessions: PageSessions;
  readonly adminKey: string;
  /** Conversations of an account, for the agent's page. */
  readonly agentPageAccessOf: (account: string) => ServiceAccess;
  /** Called after each change of the installation by its page. */
  readonly changed: (owner: RecordOwner) => Promise<void>;
  /** Creates keys of an account. */
  readonly keysOf: (account: string) => Omit<PageKeys, "isOpenWithoutSession">;
  /** The versions of an app on an account. */
  readonly versionsOf: (owner: RecordOwner) => Omit<PageVersions, "version">;
}

/** Origin of the site of an app on an account. */
export const siteOriginOf = (appsUrl: URL, app: string, account: string): string =>
  `${appsUrl.protocol}//${siteLabel(app, account) ?? `${app}--${account}`}.${appsUrl.host}`;

/** Creates the unit of a published app on an account, in one version. */
export const createPublishedUnit = (
  deps: PublishedUnitDeps,
  owner: RecordOwner,
  version: string,
  project: Project,
): AppUnit => {
  const { shared, appsUrl, sessions } = deps;
  const { vault, domainSuffix } = shared;
  const label = siteLabel(owner.project, owner.account) ?? "";
  const { account } = owner;
  const consoleOrigins = consoleOriginsOf({ serviceOrigin: deps.serviceOrigin, account, domainSuffix });
  const address = publishedSiteAddress(label, appsUrl.host, consoleOrigins);
  // The same in all processes. The version chooses the form that a request of the page belongs to.
  const pageSecret = () =>
    `${version}~${vault.derive(`page-token/${owner.account}/${owner.project}/${version}`).toString("base64url")}`;
  const newest = { project, findings: [] };
  return createAppUnit(shared, {
    newest: () => newest,
    account: { name: owner.account, domain: owner.account + domainSuffix },
    appVersion: version,
    address,
    service: deps.agentPageAccessOf(owner.account),
    siteOrigin: () => siteOriginOf(appsUrl, owner.project, owner.account),
    isOwnHost: (request) => address.isPageHost(request) || address.isFrameHost(request),
    pageSecret,
    embedded: (site) => acceptEmbeddedSessions(site, { sessions, site: address, account }),
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
    keys: { ...deps.keysOf(owner.account), isOpenWithoutSession: false },
    versions: { ...deps.versionsOf(owner), version },
    adminKey: deps.adminKey,
    installForAuthor: async (engine, iparams) => {
      const answer = await engine.install({ values: iparams, attributes: {} }, {});
      await deps.changed(owner);
      return answer.ok ? { ok: true } : answer;
    },
  });
};
