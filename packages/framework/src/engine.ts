import type { Invocation } from "@parley/contract";
import type { Pool } from "@parley/database";
import { egress, type Faults, type Hosts } from "@parley/egress";
import { appSettingsOf } from "./app-settings/app-settings.ts";
import { appSettingsChange, type AppSettingsControl } from "./app-settings/change.ts";
import { appSettingStore } from "./app-settings/store.ts";
import { consentsOf, type Consents, type RunConsents } from "./consents/consents.ts";
import { consentStore } from "./consents/store.ts";
import type { CoverageMeter } from "./code-coverage/coverage-meter.ts";
import { entitiesOf, type Entities } from "./entities/entities.ts";
import { entityStore } from "./entities/store.ts";
import { once } from "./events/once.ts";
import { handledStore } from "./events/store.ts";
import { installRoad, type Install } from "./install/install.ts";
import { installations, type Installations } from "./install/installations.ts";
import { installationStore } from "./install/store.ts";
import type { Vault } from "./install/vault.ts";
import { inTurn } from "./install/turn.ts";
import { uninstallRoad, type Uninstall } from "./install/uninstall.ts";
import { jobsOf, type Jobs } from "./jobs/jobs.ts";
import { jobStore } from "./jobs/store.ts";
import { oauth, type OAuth } from "./oauth/oauth.ts";
import { credentialsOf } from "./oauth/credentials.ts";
import { tokenStore } from "./oauth/store.ts";
import type { Ports } from "./ports.ts";
import type { Project } from "./project/project.ts";
import { allowance } from "./request/allowance.ts";
import { requestMethod } from "./request/method.ts";
import type { RequestMethod } from "./request/request-method.ts";
import { answers } from "./runtime/answers.ts";
import { appCalls, type AppCalls } from "./runtime/app-calls.ts";
import type { Launch } from "./runtime/launch.ts";
import { appLog } from "./runtime/log.ts";
import { recordsOf, type Records } from "./runtime/records/records.ts";
import { recordStore } from "./runtime/records/store.ts";
import { recorder } from "./runtime/recorder.ts";
import { runner } from "./runtime/runner.ts";
import { clockwork } from "./schedules/clockwork.ts";
import { scheduleFailures, type ScheduleFailures } from "./schedules/failures/failures.ts";
import { failureStore } from "./schedules/failures/store.ts";
import { schedulesOf } from "./schedules/schedules.ts";
import { scheduleStore } from "./schedules/store.ts";
import type { HostSettings } from "./settings.ts";
import { targetStore } from "./targets/store.ts";
import { targets, type Targets } from "./targets/targets.ts";

export interface EngineDeps {
  /** The app as it is now. */
  readonly project: () => Project;
  readonly pool: Pool;
  readonly vault: Vault;
  /** Text of the child's own program. */
  readonly program: string;
  readonly coverage?: CoverageMeter | undefined;
  readonly launch: Launch;
  readonly settings: HostSettings;
  readonly ports: Ports;
  readonly log: (line: string) => void;
  readonly hosts: ReadonlyMap<string, { readonly origin: string }>;
  /** Where they and every other host are reached. */
  readonly routes: Hosts;
  readonly faults?: Faults | undefined;
  readonly domainSuffix: string;
  /** Consents that hold while this host runs. */
  readonly consentsOfRun?: RunConsents | undefined;
  /** Where this host can be reached. @shape without a slash at its end */
  readonly address: () => string;
  /** Of this host on this machine. */
  readonly port: () => number;
  /** Hears of every call of a handler as it ends. */
  readonly record?: (invocation: Invocation) => void;
}

/** What runs an app, without the server around it. */
export interface Engine {
  readonly installations: Installations;
  readonly consents: Consents;
  readonly appSettings: AppSettingsControl;
  readonly requests: RequestMethod;
  readonly oauth: OAuth;
  readonly calls: AppCalls;
  readonly install: Install;
  readonly uninstall: Uninstall;
  readonly targets: Targets;
  /** What the app has kept on an account. */
  readonly recordsOf: (account: string) => Records;
  readonly entitiesOf: (account: string) => Entities;
  readonly jobs: Jobs;
  readonly once: ReturnType<typeof once>;
  readonly failures: ScheduleFailures;
  /** -> whether a schedule is due that has not ended firing. */
  readonly isScheduleDue: () => Promise<boolean>;
  /** Makes the app's processes those of its present version, ready for the next call. */
  readonly renew: () => void;
  /** Ends what is at work, after at most two seconds, and begins nothing of itself. */
  stop(): Promise<void>;
  /** Stops for good. */
  close(): Promise<void>;
}

/** How long handlers at work may hold up a stop. @units milliseconds */
const DRAIN = 2_000;

/** Joins installations, requests, records and processes of one app. */
export function engine(deps: EngineDeps): Engine {
  const { project, pool, ports, settings, log, domainSuffix } = deps;
  // What is stored belongs to the app under this name, whatever its files say later.
  const { name } = project();
  const [usualDomain = ""] = deps.hosts.keys();
  const outgoing = egress({ hosts: deps.routes, faults: deps.faults });
  const installed = installations({
    ...deps,
    store: installationStore(pool),
    project: name,
    app: project,
    usualDomain,
  });
  const declaredSettings = () => project().appSettings;
  const appSettings = appSettingsOf({
    ...deps,
    ...ports,
    app: name,
    declared: declaredSettings,
    store: appSettingStore(pool),
  });
  const connected = oauth({
    ...deps,
    config: () => project().oauth,
    egress: outgoing,
    store: tokenStore(pool),
    account: async () => (await installed.find())?.account ?? "",
    app: name,
  });
  const ofRun = deps.consentsOfRun ?? {};
  const consents = consentsOf({ app: name, project, store: consentStore(pool), ofRun, now: ports.now });
  const requests = requestMethod({
    project,
    consents,
    appSettings,
    domainSuffix,
    installations: installed,
    egress: outgoing,
    settings,
    allow: allowance(settings.requestsPerMinute, () => ports.now().getTime()),
    tokens: connected.tokens,
  });
  const processes = runner({ ...deps, app: project, log: appLog(name, log, settings.logLines) });
  const records = recordStore(pool);
  const entities = { store: entityStore(pool), declared: () => project().entities, now: ports.now };
  const schedules = scheduleStore(pool);
  const failures = failureStore(pool, settings.invocations);
  const addresses = targets({ ...ports, ...deps, app: name, store: targetStore(pool) });
  const calls = appCalls({
    ...ports,
    ...deps,
    installations: installed,
    consents,
    appSettings,
    isSecureHandedOut: ofRun.secureIparams === true,
    answering: (account, subject) => {
      const owner = { project: name, account };
      return answers({
        requests,
        templates: () => project().requests,
        records: recordsOf({ store: records, now: ports.now }, owner),
        entities: entitiesOf(entities, owner),
        schedules: schedulesOf({ store: schedules, now: ports.now, changed: () => clock.wake() }, owner),
        jobs: { get: (id) => jobs.get(account, id), report: (job, message) => jobs.report(job, message) },
        credentials: credentialsOf(connected.connections),
        targetUrl: (isRenewed) => addresses.urlFor(account, isRenewed),
        subject,
        log,
      });
    },
    runner: processes,
    recorder: recorder({ ...ports, app: name, record: deps.record }),
    usualDomain,
  });
  const jobs = jobsOf({ ...ports, app: name, project, store: jobStore(pool), run: calls.runJob, log });
  const handledOnce = once({ store: handledStore(pool), now: ports.now, project: name });
  const clock = clockwork({
    ...ports,
    ...deps,
    app: name,
    store: schedules,
    failures,
    installations: installed,
    calls,
    once: handledOnce,
  });
  const turn = inTurn();
  const road = installRoad({
    project,
    installations: installed,
    egress: outgoing,
    domainSuffix,
    usualDomain,
    setUp: calls.setUp,
    inTurn: turn,
  });

  const changeSettings = appSettingsChange({
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
    appSettings: { list: () => appSettings.list(), change: changeSettings },
    requests,
    oauth: connected,
    calls,
    install: async (given) => {
      const answer = await road(given);
      if (answer.ok) renew();
      return answer;
    },
    uninstall: uninstallRoad({ installations: installed, setUp: calls.setUp, calls, inTurn: turn, log }),
    targets: addresses,
    recordsOf: (account) => recordsOf({ store: records, now: ports.now }, { project: name, account }),
    jobs,
    entitiesOf: (account) => entitiesOf(entities, { project: name, account }),
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
