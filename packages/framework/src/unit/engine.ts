import type { Invocation } from "@parley/contract";
import type { Pool, Vault } from "@parley/database";
import type { Egress, HostOverrides } from "@parley/egress";
import { failureText, type Log } from "@parley/telemetry";
import { createAppSettings } from "../state/app-settings.ts";
import { createAppSettingsControl, type AppSettingsControl } from "../installation/workflow/app-settings-change.ts";
import { appSettingStore, installationStore, consentStore } from "../state/installations.sql.ts";
import { createConsents, type Consents, type RunConsents } from "../state/consents.ts";
import type { CoverageMeter } from "../package/code-coverage/coverage-meter.ts";
import { createEntities, type Entities } from "../runtime/host-api/entities.ts";
import { entityStore } from "../state/entities.sql.ts";
import { createEventDeduplication } from "../runtime/triggers/service-events.ts";
import { handledStore } from "../state/handled-events.sql.ts";
import { createInstallWorkflow, type InstallWorkflow } from "../installation/workflow/install.ts";
import { createUninstallWorkflow, type UninstallWorkflow } from "../installation/workflow/uninstall.ts";
import {
  createInstallations,
  type InstallationAccount,
  type Installations,
  createSerialQueue,
} from "../state/installations.ts";
import { createAppJobs, type AppJobs } from "../runtime/host-api/jobs.ts";
import { jobStore } from "../state/jobs.sql.ts";
import { createOAuth, type OAuth, credentialsOf } from "../request/oauth/oauth.ts";
import { oauthTokenStore } from "../state/oauth-tokens.sql.ts";
import type { HostPorts } from "../environment/ports.ts";
import type { Project } from "../model/project.ts";
import { createMinuteRateLimit } from "../request/dispatch.ts";
import { createRequestMethod } from "../request/method.ts";
import type { HostRequestMethod } from "../request/request-method.ts";
import { createHostApi } from "../runtime/host-api/host-api.ts";
import { createPortabilityWarnings } from "../runtime/host-api/portability-warnings.ts";
import { createAppCalls, installationOf, type AppCalls } from "../runtime/calls/app-calls.ts";
import type { LaunchProgram } from "../runtime/process/process-link.ts";
import type { ProcessPool } from "../runtime/process/process-pool.ts";
import { appLog } from "../runtime/process/log.ts";
import { createRecords, type Records } from "../runtime/host-api/records.ts";
import { recordStore, type RecordOwner } from "../state/records.sql.ts";
import { createCallRecorder } from "../runtime/calls/call-recorder.ts";
import { createAppRunner, type AppRunner } from "../runtime/process/runner.ts";
import { scheduleFailures, type ScheduleFailures } from "../runtime/triggers/schedule-failures.ts";
import { failureStore, scheduleStore, type FailureStore } from "../state/schedules.sql.ts";
import { createSchedules } from "../runtime/host-api/schedules.ts";
import type { HostSettings } from "../environment/settings.ts";
import { externalEventTargetStore } from "../state/targets.sql.ts";
import { createExternalEventTargets, type ExternalEventTargets } from "../runtime/triggers/targets.ts";

/** Resources that all apps of a platform share. */
export interface SharedAppDeps {
  readonly pool: Pool;
  readonly vault: Vault;
  /** Source of the child process's program. */
  readonly program: string;
  readonly launch: LaunchProgram;
  /** The processes of all installations. */
  readonly processPool: ProcessPool;
  readonly settings: HostSettings;
  readonly ports: HostPorts;
  /** Called with each call of a handler that has ended. */
  readonly observeCall: (invocation: Invocation) => void;
  readonly log: Log;
  /** Sends the requests of all apps. */
  readonly outgoing: Egress;
  /** Origins of hosts that are reached locally. */
  readonly routes: HostOverrides;
  readonly domainSuffix: string;
  /** Consents that are valid while this platform runs. */
  readonly consentsOfRun?: RunConsents | undefined;
  /** Origin of the addresses of `generateTargetUrl`. @shape without a trailing slash */
  readonly targetOrigin: () => string;
  /** Runs the work while this process holds the installation. @errors InstallationHeldElsewhere */
  readonly whileHeld: <T>(installation: string, work: () => Promise<T>) => Promise<T>;
  /** Called when a schedule may be due earlier than before. */
  readonly schedulesChanged: () => void;
}

interface AppEngineDeps extends SharedAppDeps {
  /** The present version of the app. */
  readonly project: () => Project;
  readonly account: InstallationAccount;
  /** The published version; absent for an app that is read from a folder. */
  readonly appVersion?: string | undefined;
  readonly coverage?: CoverageMeter | undefined;
  /** Origin of the site of the app and account in browsers. */
  readonly siteOrigin: () => string;
  /** Called after each call of a handler. */
  readonly record: (invocation: Invocation) => void;
  /** Resolves when all recorded calls are stored. */
  readonly recorded: () => Promise<void>;
}

/** Runs an app for an account, without an HTTP server. */
export interface AppEngine {
  readonly account: InstallationAccount;
  readonly owner: RecordOwner;
  readonly installations: Installations;
  readonly consents: Consents;
  readonly appSettings: AppSettingsControl;
  readonly requests: HostRequestMethod;
  readonly oauth: OAuth;
  readonly calls: AppCalls;
  readonly install: InstallWorkflow;
  readonly uninstall: UninstallWorkflow;
  readonly targets: ExternalEventTargets;
  readonly recordsOf: (account: string) => Records;
  readonly entitiesOf: (account: string) => Entities;
  readonly jobs: AppJobs;
  readonly once: ReturnType<typeof createEventDeduplication>;
  readonly failures: ScheduleFailures;
  readonly failureStore: FailureStore;
  /** -> whether a due schedule has not finished yet */
  readonly isScheduleDue: () => Promise<boolean>;
  /** Replaces the app's processes by processes of its present version, ready for the next call. */
  readonly renew: () => void;
  /** Ends the app's processes at once; the next call starts new processes. */
  endProcesses(): Promise<void>;
  /** Waits up to two seconds for calls in progress, then ends the app's processes. */
  stop(): Promise<void>;
}

/** Maximum time that a stop waits for handlers. @units milliseconds */
const DRAIN = 2_000;

/** Creates the installation, requests, records and processes of one app on one account. */
export function createAppEngine(deps: AppEngineDeps): AppEngine {
  const { project, pool, ports, settings, log, domainSuffix, outgoing, account } = deps;
  // Stored data belongs to the app under this name, even if its files change.
  const { name } = project();
  const owner: RecordOwner = { project: name, account: account.name };
  const installed = createInstallations({
    ...deps,
    store: installationStore(pool),
    project: name,
    app: project,
  });
  const declaredSettings = () => project().appSettings;
  const appSettings = createAppSettings({
    ...deps,
    ...ports,
    owner,
    declared: declaredSettings,
    store: appSettingStore(pool),
  });
  const connected = createOAuth({
    ...deps,
    config: () => project().oauth,
    egress: outgoing,
    store: oauthTokenStore(pool),
    account: account.name,
    app: name,
  });
  const ofRun = deps.consentsOfRun ?? {};
  const consents = createConsents({ ...ports, owner, project, store: consentStore(pool), ofRun });
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
  // One log has the lines of many accounts.
  const logName = deps.appVersion === undefined ? name : `${name}--${account.name}`;
  const processes = createAppRunner({
    ...deps,
    handlerClock: ports.handlerClock,
    app: project,
    log: appLog(logName, log, settings.maxLogLinesPerSecond),
  });
  const heldProcesses: AppRunner = {
    ...processes,
    invoke: (key, call, answer) => deps.whileHeld(installationOf(key), () => processes.invoke(key, call, answer)),
  };
  const records = recordStore(pool);
  const entities = { store: entityStore(pool), declared: () => project().entities, now: ports.now };
  const schedules = scheduleStore(pool);
  const portability = deps.appVersion === undefined ? createPortabilityWarnings(log, ports.now) : undefined;
  const failures = failureStore(pool, settings.maxInvocations);
  const addresses = createExternalEventTargets({
    ...ports,
    ...deps,
    address: deps.targetOrigin,
    app: name,
    store: externalEventTargetStore(pool),
  });
  const calls = createAppCalls({
    ...ports,
    ...deps,
    installations: installed,
    consents,
    appSettings,
    isSecureHandedOut: ofRun.secureIparams === true,
    answering: (subject) =>
      createHostApi({
        requests,
        templates: () => project().requests,
        records: createRecords({ store: records, now: ports.now }, owner),
        entities: createEntities(entities, owner),
        schedules: createSchedules({ store: schedules, now: ports.now, changed: deps.schedulesChanged }, owner),
        jobs: { get: (id) => jobs.get(account.name, id), report: (job, message) => jobs.report(job, message) },
        credentials: credentialsOf(connected.connections),
        targetUrl: (isRenewed) => addresses.urlFor(account.name, isRenewed),
        subject,
        portability,
        log,
      }),
    portability,
    runner: heldProcesses,
    recorder: createCallRecorder({
      ...ports,
      app: name,
      record(invocation) {
        deps.observeCall(invocation);
        deps.record(invocation);
      },
    }),
  });
  const jobs = createAppJobs({ ...ports, app: name, project, store: jobStore(pool), run: calls.runJob, log });
  const handledOnce = createEventDeduplication({ store: handledStore(pool), now: ports.now, project: name });
  const turn = createSerialQueue();
  const installWorkflow = createInstallWorkflow({
    ...ports,
    project,
    appVersion: deps.appVersion,
    installations: installed,
    egress: outgoing,
    domainSuffix,
    account,
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
    deps.schedulesChanged();
    const warm = async () => {
      const installation = await installed.find();
      if (installation && project().serverCode !== "") calls.warm(installation);
    };
    warm().catch((error: unknown) => log(`The app could not be made ready: ${failureText(error)}`, { level: "error" }));
  };

  return {
    account,
    owner,
    installations: installed,
    consents,
    appSettings: { list: () => appSettings.list(), change: changeAppSettings },
    requests,
    oauth: connected,
    calls,
    install: async (iparams, author) => {
      const answer = await installWorkflow(iparams, author);
      if (answer.ok) renew();
      return answer;
    },
    uninstall: createUninstallWorkflow({
      installations: installed,
      setUp: calls.setUp,
      calls,
      recorded: deps.recorded,
      owner,
      newId: ports.newId,
      inTurn: turn,
      log,
    }),
    targets: addresses,
    recordsOf: (of) => createRecords({ store: records, now: ports.now }, { project: name, account: of }),
    jobs,
    entitiesOf: (of) => createEntities(entities, { project: name, account: of }),
    failures: scheduleFailures(failures, owner),
    failureStore: failures,
    async isScheduleDue() {
      const next = (await installed.find()) && (await schedules.next(owner));
      return next !== undefined && next <= ports.now();
    },
    once: handledOnce,
    renew,
    endProcesses: () => processes.close(),
    async stop() {
      await processes.drain(DRAIN);
      await processes.close();
      await jobs.settled();
    },
  };
}
