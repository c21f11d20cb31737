import type { Base } from "../base/module.ts";
import type { CallerAccount } from "../http/route-handlers.ts";
import type { AreaModule } from "../http/area-module.ts";
import type { Events } from "../events/module.ts";
import { createOriginOf } from "../identity/edge/host.ts";
import type { Identity } from "../identity/module.ts";
import type { AgentStore } from "../identity/agents/store.ts";
import type { ConversationUrl } from "../messaging/directory/directory.ts";
import type { Messaging } from "../messaging/module.ts";
import { consoleAppRoutes } from "./apps/routes.ts";
import { blockEraser } from "./customers/blocks.sql.ts";
import { customerRoutes } from "./customers/routes.ts";
import { customerStore } from "./customers/store.ts";
import { draftRoutes } from "./drafts/routes.ts";
import { draftEraser, draftStore } from "./drafts/store.ts";
import { createInboxTable, startInboxProjection } from "./inbox/inbox.ts";
import { consoleMount } from "./pages/mount.ts";
import { consolePagesMount, noConsoleMount } from "./pages/pages.ts";
import { createFetchPicture } from "./pictures/fetch-picture.ts";
import { pictureRoutes } from "./pictures/routes.ts";
import { pictureStore } from "./pictures/store.ts";
import type { PlatformRequestsDeps } from "./platform/platform-requests.ts";
import { platformRoutes } from "./platform/routes.ts";
import { replyTemplateRoutes } from "./reply-templates/routes.ts";
import { replyTemplateStore } from "./reply-templates/store.ts";
import { startAnalytics } from "./reporting/measures/analytics.ts";
import { createMetricEndpoints, createTypicalResponse } from "./reporting/metrics/metrics.ts";
import type { ReportConfig } from "./reporting/reports/config.ts";
import { reportObjectOwner } from "./reporting/reports/object-owner.ts";
import { createReports } from "./reporting/reports/reports.ts";
import { savedViewRoutes } from "./saved-views/routes.ts";
import { savedViewStore } from "./saved-views/store.ts";
import type { SearchIndexRules } from "./search/projection.ts";
import { createSearch } from "./search/search.ts";
import { workspaceStore } from "./workspace/store.ts";
import { workspaceRoutes } from "./workspace/workspace.ts";

interface ConsoleDeps extends Pick<PlatformRequestsDeps, "platformOrigin"> {
  /** Signs requests to the platform; absent: the installation has no platform. */
  readonly adminKey?: string | undefined;
  readonly base: Base;
  readonly messaging: Messaging;
  readonly identity: Identity;
  readonly events: Events;
  readonly agents: AgentStore;
  readonly config: {
    readonly appsUrl?: string | undefined;
    readonly publicUrl?: string | undefined;
    readonly reports?: ReportConfig | undefined;
  };
  readonly conversationUrl: ConversationUrl;
  readonly isDemoAccount: (account: CallerAccount) => boolean;
  readonly searchRules?: SearchIndexRules | undefined;
  /** Folder of the built console. Absent: there are no pages for agents except the sign-in and the profile. */
  readonly consoleFolder?: string | undefined;
  /** Overrides of hosts that pictures are loaded from, for tests. */
  readonly pictureHosts?: Parameters<typeof createFetchPicture>[0];
}

/** Endpoints of the console for agents and admins: lists, search, reports, drafts, saved items, apps, and the pages themselves. */
export const createConsoleModule = ({ base, messaging, identity, events, agents, config, ...deps }: ConsoleDeps) => {
  const { database, pool, reads, heavy, ports, jobs, openedObjects, projectorOptions, log } = base;
  const { directory, reach, conversations } = messaging;
  const { findId, find, change } = conversations;
  const { notifyOwnChange } = events;
  const { platformOrigin, adminKey, conversationUrl } = deps;
  const { appsUrl, publicUrl } = config;
  const analytics = startAnalytics(projectorOptions);
  const inboxProjection = startInboxProjection(projectorOptions);
  const search = createSearch({ ...projectorOptions, heavy, directory, reach, findId, rules: deps.searchRules });
  const projectors = [analytics, inboxProjection, search.projector];
  for (const projector of projectors) base.commits.subscribe(() => projector.wake());
  const metrics = createMetricEndpoints({ heavy, analytics });
  const reportDeps = { database, pool, analytics, jobs, openedObjects, ports, conversationUrl };
  const reports = createReports({ ...reportDeps, config: config.reports, notifyOwnChange, log });
  const pictures = createFetchPicture(deps.pictureHosts);
  const platform = { pool, egress: events.appEgress, adminKey, ports, log };
  const tables = [
    ...messaging.consoleRoutes,
    ...events.consoleRoutes,
    createInboxTable({ projector: inboxProjection, pool, heavy, find, reach, change, ownChange: notifyOwnChange, log }),
    metrics.consoleTable,
    reports.consoleTable,
    workspaceRoutes({ ...messaging.settings, store: workspaceStore(pool), agents, isDemoAccount: deps.isDemoAccount }),
    consoleAppRoutes({ ...platform, appsUrl, tickets: identity.pageTickets }),
    platformRoutes({ ...platform, platformOrigin }),
    customerRoutes({
      ...{ store: customerStore({ db: pool, heavy }), directory, pool, now: ports.now },
      recordAudit: identity.recordAudit,
      resignUrls: messaging.resignWithOwnOrigin,
    }),
    draftRoutes({ store: draftStore(pool), findId, reach, ports, notifyOwnChange }),
    savedViewRoutes({ store: savedViewStore(pool), ports, notifyOwnChange }),
    replyTemplateRoutes({ store: replyTemplateStore(pool), ports, notifyOwnChange }),
    pictureRoutes({ store: pictureStore(reads), findId, fetchPicture: pictures.fetchPicture }),
  ];
  const originOf = createOriginOf(publicUrl);
  return {
    objectOwner: reportObjectOwner,
    typicalResponse: createTypicalResponse({ reads, now: ports.now }),
    routes: [reports.slice, metrics.slice, search.slice],
    mounts: [
      consoleMount({ tables, admit: identity.edge.admit, originOf, resignUrls: messaging.resignUrls }),
      deps.consoleFolder === undefined
        ? noConsoleMount
        : consolePagesMount({ folder: deps.consoleFolder, appsUrl, random: ports.random }),
    ],
    tasks: reports.tasks,
    erasers: [search.eraser, draftEraser, blockEraser],
    begin() {
      for (const projector of projectors) projector.begin();
    },
    async close() {
      await pictures.close();
      await Promise.all(projectors.map((projector) => projector.close()));
    },
  } satisfies AreaModule & Record<string, unknown>;
};
