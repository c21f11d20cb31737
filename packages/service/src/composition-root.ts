import type { PageAddressOf } from "@parley/contract";
import type { HttpServerDeps } from "./identity/edge/http-server.ts";
import type { Database } from "@parley/database";
import type { Log, Metrics } from "@parley/telemetry";
import { createDirectory, type ConversationUrl, type Directory } from "./messaging/directory/directory.ts";
import { accountRoutes, channelRoutes, groupRoutes, fieldRoutes, roleRoutes } from "./messaging/directory/routes.ts";
import { createReleaseJobs, releaseTasks } from "./messaging/conversations/release.ts";
import { composeConsole, consoleErasers, type ConsoleDeps } from "./console/console-composition.ts";
import { createAccountLifecycleModule, type AccountLifecycleModule } from "./operations/account-lifecycle/module.ts";
import { accountStore } from "./messaging/accounts/store.ts";
import { agentAdminHandlers, agentRoutes } from "./identity/agents/routes.ts";
import { agentStore } from "./identity/agents/store.ts";
import { businessHoursRoutes } from "./messaging/business-hours/routes.ts";
import { businessHoursStore } from "./messaging/business-hours/store.ts";
import { channelStore, groupStore, fieldStore, roleStore } from "./messaging/directory/store.ts";
import type { ServiceConfig } from "./operations/configuration/config.ts";
import { consoleAppRoutes } from "./console/apps/routes.ts";
import { createRate, csatRoutes } from "./messaging/csat/routes.ts";
import { SERVICE_SCHEMA } from "./base/db/migrations.ts";
import type { ServicePools } from "./base/db/pools.ts";
import { createExchangeEraser, dispatchAdminHandlers, openAppEgress, openDispatcher } from "./events/dispatch/index.ts";
import type { DispatchRules } from "./events/dispatch/dispatch-rules.ts";
import { startAnalytics } from "./console/reporting/measures/analytics.ts";
import { createMessageWritePath } from "./messaging/message-write-path.ts";
import type { ResourceRoutes } from "./http/route-handlers.ts";
import { createIdempotencyModule } from "./http/idempotency/module.ts";
import { createInboxTable, startInboxProjection } from "./console/inbox/module.ts";
import { createJobs } from "./base/jobs/index.ts";
import { createLinkMailer } from "./identity/mail/mailer.ts";
import { createMetricsModule } from "./console/reporting/metrics/module.ts";
import type { ObjectStore } from "./base/objects/object-store.ts";
import { openObjects } from "./base/objects/open-objects.ts";
import { createOrphanSweep } from "./base/objects/orphans.ts";
import { createOutboundModule } from "./messaging/outbound/module.ts";
import type { Ports } from "./base/environment/ports.ts";
import { createSearchModule } from "./console/search/module.ts";
import type { SearchIndexRules } from "./console/search/projection.ts";
import { createReportsModule } from "./console/reporting/reports/module.ts";
import { reportObjectOwner } from "./console/reporting/reports/object-owner.ts";
import { createUploadsModule } from "./messaging/uploads/module.ts";
import { uploadObjectOwner } from "./messaging/uploads/object-owner.ts";
import { createAuditModule, type AuditModule } from "./identity/audit/module.ts";
import { createFindConversationId } from "./messaging/conversations/find.ts";
import { createAgentReach, type AgentReach } from "./messaging/conversations/reach.sql.ts";
import { conversationStore } from "./messaging/conversations/store.ts";
import { createIdentityModule, type IdentityModule } from "./identity/authentication/module.ts";
import { createLazyVault } from "./operations/secrets/lazy-vault.ts";
import { createStreamModule } from "./events/stream/module.ts";
import type { StreamRules } from "./events/stream/stream-rules.ts";
import { createUsersModule } from "./messaging/users/module.ts";
import { workspaceStore } from "./console/workspace/store.ts";
import { workspaceRoutes } from "./console/workspace/workspace.ts";
import { isDemoAccount } from "./operations/demo/demo.ts";
import { createWebhooksModule, type WebhooksModule } from "./events/webhooks/module.ts";

interface ComposeServiceDeps
  extends
    ServicePools,
    Pick<Parameters<typeof createAccountLifecycleModule>[0], "accountData" | "domain">,
    Pick<ConsoleDeps, "pictureHosts"> {
  readonly database: Database;
  readonly ports: Ports;
  readonly config: ServiceConfig;
  readonly objects: ObjectStore | undefined;
  readonly objectsFolder: string | undefined;
  readonly rules: DispatchRules;
  readonly streamRules: StreamRules | undefined;
  /** Origin at which the platform is reached; undefined: none runs. */
  readonly platformOrigin: () => string | undefined;
  /** Signs requests to the platform; absent: there is none. */
  readonly adminKey: string | undefined;
  readonly searchRules: SearchIndexRules | undefined;
  /** Folder of the encryption key of secrets, unless the settings contain a key. */
  readonly secretsFolder: string | undefined;
  /** For local use. */
  readonly isLocal: boolean;
  /** How long a request waits for another request with the same key; the default when absent. @units milliseconds */
  readonly keyWaitMs?: number | undefined;
  /** argon2 when absent. */
  readonly passwordHashing?: Parameters<typeof createIdentityModule>[0]["passwordHashing"];
  /** Events are not delivered. */
  readonly isDispatchDisabled: boolean;
  readonly pageAddressOf: PageAddressOf;
  /** Origin of this service; final once it listens. */
  readonly origin: () => string;
  readonly conversationUrl: ConversationUrl;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Routes and background work of the service. */
interface ComposedService extends Pick<
  HttpServerDeps,
  "slices" | "mounts" | "objects" | "resignUrls" | "runIdempotently"
> {
  readonly directory: Pick<Directory, "forget">;
  readonly identity: IdentityModule;
  /** Which conversations and users an agent reaches. */
  readonly reach: AgentReach;
  /** Endpoints of the console. */
  readonly consoleTables: readonly ResourceRoutes[];
  /** Further handlers of the admin endpoints. */
  readonly adminHandlers: WebhooksModule["handlers"] &
    ReturnType<typeof agentAdminHandlers> &
    ReturnType<typeof dispatchAdminHandlers> &
    AccountLifecycleModule["handlers"] &
    AuditModule["handlers"] &
    IdentityModule["handlers"];
  /** Starts the background work. Call it once the service listens. */
  begin(): void;
  close(graceMs?: number): Promise<void>;
}

/** Connects the resources, their stores and the background work. It is the composition root of the service. */
export async function composeService(deps: ComposeServiceDeps): Promise<ComposedService> {
  const { database, pool, writes, reads, heavy, ports, config, rules, origin, conversationUrl, log } = deps;
  const { now } = ports;
  const [agents, channels, fields, groups] = [agentStore(pool), channelStore(pool), fieldStore(pool), groupStore(pool)];
  const directory = createDirectory({ agents, channels, fields, groups, conversationUrl, ports });
  const jobs = createJobs({ database, ports, log });
  const places = { objects: deps.objects, config: config.objects, folder: deps.objectsFolder };
  const openedObjects = await openObjects({ ...places, db: pool, ports, metrics: deps.metrics, log });
  const sweepDeps = { ...openedObjects, isEnabled: !deps.isLocal && config.objects?.isSwept !== false };
  const owners = [uploadObjectOwner, reportObjectOwner];
  const orphanSweep = createOrphanSweep({ ...sweepDeps, owners, db: pool, jobs, ports, log });
  const { addressSeconds } = config;
  const uploads = createUploadsModule({ openedObjects, db: pool, jobs, ports, addressSeconds, origin });
  const idempotency = createIdempotencyModule({ reads, writes, pool, jobs, now, waitMs: deps.keyWaitMs });
  const resignUrls = (text: string, accountId: number) => uploads.resignUrls(text, accountId, origin());
  const { secretsFolder, isLocal } = deps;
  const { webhooks: webhookConfig, secretsKey } = config;
  const vault = createLazyVault({ ports, secretsKey, secretsFolder });
  // A setting that is no key is reported at the start.
  if (secretsKey !== undefined) await vault();
  const audit = createAuditModule({ pool, ports, days: config.auditLogDays, log });
  const { recordAudit } = audit;
  const webhookDeps = { pool, directory, ports, vault, isLocal, recordAudit, resignUrls };
  const webhooks = createWebhooksModule({ ...webhookDeps, config: webhookConfig });
  const { pageAddressOf, domain } = deps;
  const identity = createIdentityModule({
    ...{ pool, ports, vault, recordAudit, pageAddressOf, domain, passwordHashing: deps.passwordHashing, origin },
    publicUrl: config.publicUrl,
    rules: config.sessions,
    mailer: config.mail && createLinkMailer({ config: config.mail, log }),
    isLocal,
    log,
  });
  const accountLifecycle = createAccountLifecycleModule({
    database,
    pool,
    ports,
    domain: deps.domain,
    administration: identity.administration,
    objects: openedObjects.objects,
    accountData: deps.accountData,
    recordAudit,
    log,
  });
  const findId = createFindConversationId(conversationStore(reads));
  const reach = createAgentReach({ db: reads, findId });
  const appEgress = openAppEgress(config.events?.platformUrl);
  const events = await openDispatcher({
    isDisabled: deps.isDispatchDisabled,
    database,
    directory,
    ports,
    rules,
    egress: appEgress,
    webhook: webhooks.kind,
    resignUrls,
    metrics: deps.metrics,
    log,
  });
  const projectorOptions = { connect: () => database.connect(SERVICE_SCHEMA), db: pool, log };
  const analytics = startAnalytics(projectorOptions);
  const inboxProjection = startInboxProjection(projectorOptions);
  const searchDeps = { ...projectorOptions, heavy, directory, reach, findId, rules: deps.searchRules };
  const search = createSearchModule(searchDeps);
  const projectors = [analytics, inboxProjection, search.projector];
  const streamDeps = { database, directory, reach, ports, feedRules: rules, rules: deps.streamRules };
  const stream = createStreamModule({ ...streamDeps, resignUrls, log });
  const wake = () => {
    events.wake();
    stream.wake();
    for (const projector of projectors) projector.wake();
    writePath.router.wake();
  };
  const outbound = createOutboundModule({ pool, jobs, ports, config: config.outbound, wake });
  const writePath = createMessageWritePath({
    writes,
    reads,
    heavy,
    pool,
    directory,
    pendingReplies: outbound.pendingReplies,
    filesOf: uploads.filesOf,
    ...{ ports, wake, sessionRules: config.sessions },
    notifyPropertyChange: stream.notifyPropertyChange,
    log,
  });
  const { find, change } = writePath;
  const ownChange = stream.notifyOwnChange;
  const inbox = createInboxTable({ projector: inboxProjection, pool, heavy, find, reach, change, ownChange, log });
  const metrics = createMetricsModule({ heavy, analytics });
  const hours = businessHoursStore(pool);
  const reportDeps = { database, pool, analytics, jobs, openedObjects, ports, conversationUrl };
  const reports = createReportsModule({ ...reportDeps, config: config.reports, notifyOwnChange: ownChange, log });
  const exchanges = createExchangeEraser({ pool, jobs, ports });
  const erasers = [outbound, uploads, idempotency, search, exchanges]
    .map(({ eraser }) => eraser)
    .concat(consoleErasers);
  const userDeps = { writes, reads, pool, heavy, directory, reach, erasers, ports, wake, log };
  const users = createUsersModule({ ...userDeps, notifyOwnChange: ownChange });
  const consoleParts = composeConsole({
    ...deps,
    egress: appEgress,
    directory,
    reach,
    writePath,
    createUser: users.createUser,
    recordAudit,
    resignUrls,
    notifyOwnChange: ownChange,
  });

  return {
    directory,
    identity,
    reach,
    slices: [
      accountRoutes(),
      users.slice,
      writePath.conversations,
      writePath.messages,
      fieldRoutes({ fields }),
      agentRoutes({
        agents,
        roles: roleStore(pool),
        directory,
        releases: createReleaseJobs(jobs, now),
        withdrawLinks: identity.withdrawLinks,
        ports,
        recordAudit,
      }),
      channelRoutes({ channels }),
      groupRoutes({ groups }),
      roleRoutes({ roles: roleStore(pool) }),
      csatRoutes({ rate: createRate({ db: pool, directory, find: writePath.find, reopen: writePath.reopen, now }) }),
      ...uploads.slices,
      outbound.slice,
      reports.slice,
      metrics.slice,
      businessHoursRoutes({ hours, directory, now }),
      stream.slice,
      search.slice,
    ],
    mounts: [outbound.mount, stream.mount],
    consoleTables: [
      inbox,
      stream.consoleTable,
      metrics.consoleTable,
      reports.consoleTable,
      workspaceRoutes({ store: workspaceStore(pool), agents, groups, channels, fields, hours, isDemoAccount }),
      consoleAppRoutes({ ...deps, ...config, egress: appEgress, tickets: identity.pageTickets }),
      ...consoleParts.tables,
    ],
    objects: openedObjects,
    adminHandlers: {
      ...webhooks.handlers,
      ...identity.handlers,
      ...accountLifecycle.handlers,
      ...audit.handlers,
      ...dispatchAdminHandlers({ pool, ports, egress: appEgress, recordAudit, webhook: webhooks.kind }),
      ...agentAdminHandlers({
        accounts: accountStore(pool),
        agents,
        endSessions: (tx, agent) => identity.sessions.endAll(tx, agent),
        directory,
        ports,
        recordAudit,
      }),
    },
    resignUrls: uploads.resignUrls,
    runIdempotently: idempotency.runIdempotently,
    begin() {
      for (const part of [...projectors, writePath.router, identity, accountLifecycle, audit, orphanSweep])
        part.begin();
      const tasks = { ...outbound.tasks, ...reports.tasks, ...uploads.tasks, ...idempotency.tasks, ...exchanges.tasks };
      jobs.begin({ ...releaseTasks(writePath.release), ...orphanSweep.tasks, ...tasks });
    },
    async close(graceMs) {
      await Promise.all([stream.close(), identity.close(), accountLifecycle.close(), audit.close()]);
      await jobs.close();
      await Promise.all([outbound.close(), consoleParts.close()]);
      await writePath.close();
      await Promise.all([events.close(graceMs), ...projectors.map((projector) => projector.close())]);
      await Promise.all([users.close(), webhooks.close()]);
    },
  };
}
