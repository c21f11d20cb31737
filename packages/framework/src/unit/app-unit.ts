import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Invocation } from "@parley/contract";
import { openConversationSource, type OpenConversationSource } from "../front/open-conversations.ts";
import type { SiteAddress } from "../pages/origin.ts";
import type { ServiceAccess } from "../front/service.ts";
import type { InstallationPageDeps } from "../installation/page/installation-page.ts";
import type { InstallationAccount } from "../state/installations.ts";
import type { Bundler } from "../package/bundler/bundler.ts";
import type { CoverageMeter } from "../package/code-coverage/coverage-meter.ts";
import type { NewestProject } from "../package/live-project.ts";
import type { Project } from "../model/project.ts";
import { createInvocationLog } from "../runtime/calls/invocation-log.ts";
import { invocationStore, type Invocations } from "../state/invocations.sql.ts";
import type { ScheduledInstallation } from "../runtime/triggers/scheduler.ts";
import { createAppEngine, type AppEngine, type SharedAppDeps } from "./engine.ts";
import { createAppSite, type AppSite } from "./site.ts";

/** Resources that all units of a platform share. */
export interface SharedUnitDeps extends SharedAppDeps {
  readonly bundler: Bundler;
  readonly trustProxy?: boolean | string[] | undefined;
  /** Host names at which targets are addressed besides those of this machine. */
  readonly targetHosts: readonly string[];
}

interface AppUnitOptions {
  readonly newest: () => NewestProject;
  readonly account: InstallationAccount;
  /** The published version; absent for an app that is read from a folder. */
  readonly appVersion?: string | undefined;
  readonly coverage?: CoverageMeter | undefined;
  readonly address: SiteAddress;
  readonly siteOrigin: () => string;
  readonly isOwnHost: (request: FastifyRequest) => boolean;
  /** The service whose conversations the agent's page shows; none when absent. */
  readonly service?: ServiceAccess | undefined;
  readonly pageSecret: () => string;
  readonly embedded?: ((host: FastifyInstance) => void) | undefined;
  readonly signIn?: ((host: FastifyInstance) => Promise<void>) | undefined;
  readonly authorOf?: InstallationPageDeps["authorOf"];
  readonly changed?: InstallationPageDeps["changed"];
  readonly keys?: InstallationPageDeps["keys"];
  readonly versions?: InstallationPageDeps["versions"];
  readonly adminKey?: string | undefined;
  /** Installs the app for its author; the address and key of the local account are filled in. */
  readonly installForAuthor: (unit: AppEngine, iparams: Readonly<Record<string, unknown>>) => Promise<object>;
  /** -> the number of undelivered events of the service */
  readonly eventsToCome?: (() => Promise<number>) | undefined;
  readonly more?: (site: FastifyInstance, unit: AppUnit) => void | Promise<void>;
}

/** An app on an account, in one version: its engine, the records of its calls and its site. */
export interface AppUnit {
  /** The published version; absent for an app that is read from a folder. */
  readonly appVersion?: string | undefined;
  readonly engine: AppEngine;
  readonly project: () => Project;
  /** The last valid version of the app, and the findings of the newest version. */
  readonly newest: () => NewestProject;
  readonly invocations: Invocations;
  readonly conversations: OpenConversationSource;
  /** The site, created with the first request. */
  site(): Promise<AppSite>;
  /** The installation, if the app is installed, for the scheduler. */
  scheduled(): Promise<ScheduledInstallation | undefined>;
  /** Waits up to two seconds for calls in progress, ends the app's processes, and stores the recorded calls. */
  stop(): Promise<void>;
  /** Ends the site's streams; it answers no more requests. */
  closeSite(): Promise<void>;
  /** Stops permanently. */
  close(): Promise<void>;
}

export function createAppUnit(shared: SharedUnitDeps, options: AppUnitOptions): AppUnit {
  const { newest, account, appVersion, coverage, address, siteOrigin } = options;
  const { pool, settings, log } = shared;
  const project = () => newest().project;
  const owner = { project: project().name, account: account.name };
  const invocations = createInvocationLog({
    store: invocationStore(pool),
    owner,
    maxInvocations: settings.maxInvocations,
    log,
  });
  const engine = createAppEngine({
    ...shared,
    project,
    account,
    appVersion,
    coverage,
    siteOrigin,
    record: (invocation: Invocation) => invocations.record(invocation),
    recorded: () => invocations.written(),
  });
  const conversations = openConversationSource(options.service);
  let site: Promise<AppSite> | undefined;
  const openSite = () =>
    createAppSite({
      ...shared,
      engine,
      newest,
      address,
      siteOrigin,
      conversations,
      invocations,
      pageSecret: options.pageSecret,
      isOwnHost: options.isOwnHost,
      isLive: appVersion === undefined,
      embedded: options.embedded,
      signIn: options.signIn,
      ...(options.authorOf && { authorOf: options.authorOf }),
      ...(options.changed && { changed: options.changed }),
      ...(options.keys && { keys: options.keys }),
      ...(options.versions && { versions: options.versions }),
      more: (instance) => options.more?.(instance, unit),
      control:
        options.adminKey === undefined
          ? undefined
          : {
              adminKey: options.adminKey,
              install: (iparams) => options.installForAuthor(engine, iparams),
              activity: async () => ({
                events: (await options.eventsToCome?.()) ?? 0,
                schedules: await engine.isScheduleDue(),
              }),
            },
    });
  const unit: AppUnit = {
    appVersion,
    engine,
    project,
    newest,
    invocations,
    conversations,
    site: () => (site ??= openSite()),
    async scheduled() {
      const installation = await engine.installations.find();
      if (installation?.state !== "active") return undefined;
      const { calls, once, failureStore: failures } = engine;
      return { installation, project, calls, once, failures };
    },
    async stop() {
      await engine.stop();
      await invocations.written();
    },
    closeSite: async () => (await site)?.close(),
    async close() {
      await unit.closeSite();
      await engine.stop();
      await invocations.written();
    },
  };
  return unit;
}
