import type { Invocation } from "@parley/contract";
import type { Pool, Vault } from "@parley/database";
import { egress, type FaultInjector, type HostOverrides } from "@parley/egress";
import { createAppSettings } from "../installation/app-settings.ts";
import { createAppSettingsControl, type AppSettingsControl } from "../installation/workflow/app-settings-change.ts";
import { appSettingStore, installationStore, consentStore } from "../installation/store.ts";
import { createConsents, type Consents, type RunConsents } from "../installation/consents.ts";
import type { CoverageMeter } from "../package/code-coverage/coverage-meter.ts";
import { createEntities, type Entities } from "../runtime/entities/entities.ts";
import { entityStore } from "../runtime/entities/store.ts";
import { createEventDeduplication } from "../runtime/events/route.ts";
import { handledStore } from "../runtime/events/store.ts";
import {
  createInstallWorkflow,
  type InstallWorkflow,
  createUninstallWorkflow,
  type UninstallWorkflow,
} from "../installation/workflow/install.ts";
import { createInstallations, type Installations, createSerialQueue } from "../installation/installations.ts";
import { createAppJobs, type AppJobs } from "../runtime/jobs/jobs.ts";
import { jobStore } from "../runtime/jobs/store.ts";
import { createOAuth, type OAuth, credentialsOf } from "../request/oauth/oauth.ts";
import { oauthTokenStore } from "../request/oauth/store.ts";
import type { HostPorts } from "../environment/ports.ts";
import type { Project } from "../package/model/project.ts";
import { createMinuteRateLimit } from "../request/dispatch.ts";
import { createRequestMethod } from "../request/method.ts";
import type { HostRequestMethod } from "../request/request-method.ts";
import { createHostApi } from "../runtime/host-api/host-api.ts";
import { createAppCalls, type AppCalls } from "../runtime/calls/app-calls.ts";
import type { LaunchProgram } from "../runtime/process/process-link.ts";
import { appLog } from "../runtime/process/log.ts";
import { createRecords, type Records } from "../runtime/records/records.ts";
import { recordStore } from "../runtime/records/store.ts";
import { createCallRecorder } from "../runtime/calls/call-recorder.ts";
import { createAppRunner } from "../runtime/process/runner.ts";
import { createScheduler, scheduleFailures, type ScheduleFailures } from "../runtime/scheduler/scheduler.ts";
import { failureStore, scheduleStore } from "../runtime/schedules/store.ts";
import { createSchedules } from "../runtime/schedules/schedules.ts";
import type { HostSettings } from "../environment/settings.ts";
import { externalEventTargetStore } from "../runtime/targets/store.ts";
import { createExternalEventTargets, type ExternalEventTargets } from "../runtime/targets/route.ts";

interface AppEngineDeps {
  /** The present version of the app. */
  readonly project: () => Project;
  readonly pool: Pool;
  readonly vault: Vault;
  /** Source of the child process's program. */
  readonly program: string;
  readonly coverage?: CoverageMeter | undefined;
  readonly launch: LaunchProgram;
  readonly settings: HostSettings;
  readonly ports: HostPorts;
  readonly log: (line: string) => void;
  readonly hosts: ReadonlyMap<string, { readonly origin: string }>;
  /** Origins of hosts that are reached locally. */
  readonly routes: HostOverrides;
  readonly faults?: FaultInjector | undefined;
  readonly domainSuffix: string;
  /** Consents that are valid while this host runs. */
  readonly consentsOfRun?: RunConsents | undefined;
  /** URL of this host. @shape without a trailing slash */
  readonly address: () => string;
  /** Port of this host on this machine. */
  readonly port: () => number;
  /** Called after each call of a handler. */
  readonly record?: (invocation: Invocation) => void;
}

/** Runs an app, without an HTTP server. */
interface AppEngine {
  readonly installations: Installations;
  readonly consents: Consents;
  readonly appSettings: AppSettingsControl;
  readonly requests: HostRequestMethod;
  readonly oauth: OAuth;
  readonly calls: AppCalls;
  readonly install: InstallWorkflow;
  readonly uninstall: UninstallWorkflow;
  readonly targets: ExternalEventTargets;
  /** The app's records on an account. */
  readonly recordsOf: (account: string) => Records;
  readonly entitiesOf: (account: string) => Entities;
  readonly jobs: AppJobs;
  readonly once: ReturnType<typeof createEventDeduplication>;
  readonly failures: ScheduleFailures;
  /** -> whether a due schedule has not finished yet */
  readonly isScheduleDue: () => Promise<boolean>;
  /** Replaces the app's processes by processes of its present version, ready for the next call. */
  readonly renew: () => void;
  /** Stops background work and waits up to two seconds for calls in progress. */
  stop(): Promise<void>;
  /** Stops permanently. */
  close(): Promise<void>;
}

/** Maximum time that a stop waits for handlers. @units milliseconds */
const DRAIN = 2_000;

/** Creates the installations, requests, records and processes of one app. */
export function createAppEngine(deps: AppEngineDeps): AppEngine {
  const { project, pool, ports, settings, log, domainSuffix } = deps;
  // Stored data belongs to the app under this name, even if its files change.
  const { name } = project();
  const [usualDomain = ""] = deps.hosts.keys();
  const outgoing = egress({ hosts: deps.routes, faults: deps.faults });
  const installed = createInstallations({
    ...deps,
    store: installationStore(pool),
    project: name,
    app: project,
    usualDomain,
  });
  const declaredSettings = () => project().appSettings;
  const appSettings = createAppSettings({
    ...deps,
    ...ports,
    app: name,
    declared: declaredSettings,
    store: appSettingStore(pool),
  });
  const connected = createOAuth({
    ...deps,
    config: () => project().oauth,
    egress: outgoing,
    store: oauthTokenStore(pool),
    account: async () => (await installed.find())?.account ?? "",
    app: name,
  });
  const ofRun = deps.consentsOfRun ?? {};
  const consents = createConsents({ app: name, project, store: consentStore(pool), ofRun, now: ports.now });
  const requests = createRequestMethod({
    project,
    consents,
    appSettings,
    domainSuffix,
    installations: installed,
    egress: outgoing,
    settings,
    allow: createMinuteRateLimit(settings.requestsPerMinute, () => ports.now().getTime()),
    tokens: connected.tokens,
  });
  const processes = createAppRunner({ ...deps, app: project, log: appLog(name, log, settings.maxLogLinesPerSecond) });
  const records = recordStore(pool);
  const entities = { store: entityStore(pool), declared: () => project().entities, now: ports.now };
  const schedules = scheduleStore(pool);
  const failures = failureStore(pool, settings.maxInvocations);
  const addresses = createExternalEventTargets({ ...ports, ...deps, app: name, store: externalEventTargetStore(pool) });
  const calls = createAppCalls({
    ...ports,
    ...deps,
    installations: installed,
    consents,
    appSettings,
    isSecureHandedOut: ofRun.secureIparams === true,
    answering: (account, subject) => {
      const owner = { project: name, account };
      return createHostApi({
        requests,
        templates: () => project().requests,
        records: createRecords({ store: records, now: ports.now }, owner),
        entities: createEntities(entities, owner),
        schedules: createSchedules({ store: schedules, now: ports.now, changed: () => clock.wake() }, owner),
        jobs: { get: (id) => jobs.get(account, id), report: (job, message) => jobs.report(job, message) },
        credentials: credentialsOf(connected.connections),
        targetUrl: (isRenewed) => addresses.urlFor(account, isRenewed),
        subject,
        log,
      });
    },
    runner: processes,
    recorder: createCallRecorder({ ...ports, app: name, record: deps.record }),
    usualDomain,
  });
  const jobs = createAppJobs({ ...ports, app: name, project, store: jobStore(pool), run: calls.runJob, log });
  const handledOnce = createEventDeduplication({ store: handledStore(pool), now: ports.now, project: name });
  const clock = createScheduler({
    ...ports,
    ...deps,
    app: name,
    store: schedules,
    failures,
    installations: installed,
    calls,
    once: handledOnce,
  });
  const turn = createSerialQueue();
  const installWorkflow = createInstallWorkflow({
    project,
    installations: installed,
    egress: outgoing,
    domainSuffix,
    usualDomain,
    setUp: calls.setUp,
    inTurn: turn,
  });

  const changeAppSettings = createAppSettingsControl({
    project,
    appSettings,
    installations: installed,
    setUp: calls.setUp,
    inTurn: turn,
  });

  const renew = () => {
    processes.refresh();
    clock.start();
    const warm = async () => {
      const installation = await installed.find();
      if (installation && project().serverCode !== "") calls.warm(installation);
    };
    warm().catch((error: unknown) => log(`error: The app could not be made ready: ${String(error)}`));
  };

  const stop = async () => {
    const stopped = clock.stop();
    await processes.drain(DRAIN);
    await processes.close();
    await Promise.all([stopped, jobs.settled()]);
  };

  return {
    installations: installed,
    consents,
    appSettings: { list: () => appSettings.list(), change: changeAppSettings },
    requests,
    oauth: connected,
    calls,
    install: async (iparams) => {
      const answer = await installWorkflow(iparams);
      if (answer.ok) renew();
      return answer;
    },
    uninstall: createUninstallWorkflow({ installations: installed, setUp: calls.setUp, calls, inTurn: turn, log }),
    targets: addresses,
    recordsOf: (account) => createRecords({ store: records, now: ports.now }, { project: name, account }),
    jobs,
    entitiesOf: (account) => createEntities(entities, { project: name, account }),
    failures: scheduleFailures({ app: name, store: failures, installations: installed }),
    async isScheduleDue() {
      const to = await installed.find();
      const next = to && (await schedules.next({ project: name, account: to.account }));
      return next !== undefined && next <= ports.now();
    },
    once: handledOnce,
    renew,
    stop,
    async close() {
      await stop();
      await outgoing.close();
    },
  };
}
