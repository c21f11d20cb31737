import type { Invocation } from "@parley/contract";
import type { Pool } from "@parley/database";
import { egress, type Faults, type Hosts } from "@parley/egress";
import { once } from "./events/once.ts";
import { handledStore } from "./events/store.ts";
import { installRoad, type Install } from "./install/install.ts";
import { installations, type Installations } from "./install/installations.ts";
import { installationStore } from "./install/store.ts";
import type { Vault } from "./install/vault.ts";
import type { Ports } from "./ports.ts";
import type { Project } from "./project/project.ts";
import { allowance } from "./request/allowance.ts";
import { requestMethod } from "./request/invoke-template.ts";
import type { RequestMethod } from "./request/request-method.ts";
import { appCalls, type AppCalls } from "./runtime/app-calls.ts";
import type { Launch } from "./runtime/launch.ts";
import { appLog } from "./runtime/log.ts";
import { recordsOf } from "./runtime/records/records.ts";
import { recordStore } from "./runtime/records/store.ts";
import { runner } from "./runtime/runner.ts";
import type { HostSettings } from "./settings.ts";

export interface EngineDeps {
  /** The app as it is now. */
  readonly project: () => Project;
  readonly pool: Pool;
  readonly vault: Vault;
  /** Text of the child's own program. */
  readonly program: string;
  readonly launch: Launch;
  readonly settings: HostSettings;
  readonly ports: Ports;
  readonly log: (line: string) => void;
  readonly hosts: ReadonlyMap<string, { readonly origin: string }>;
  /** Where they and every other host are reached. */
  readonly routes: Hosts;
  readonly faults?: Faults | undefined;
  readonly domainSuffix: string;
  /** Hears of every call of a handler as it ends. */
  readonly record?: (invocation: Invocation) => void;
}

/** What runs an app, without the server around it. */
export interface Engine {
  readonly installations: Installations;
  readonly requests: RequestMethod;
  readonly calls: AppCalls;
  readonly install: Install;
  /** Takes the app from its account. */
  readonly uninstall: () => Promise<void>;
  readonly once: ReturnType<typeof once>;
  /** Makes the app's processes those of its present version, ready for the next call. */
  readonly renew: () => void;
  close(): Promise<void>;
}

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
    iparams: () => project().iparams,
    usualDomain,
  });
  const requests = requestMethod({
    project,
    installations: installed,
    egress: outgoing,
    settings,
    allow: allowance(settings.requestsPerMinute, () => ports.now().getTime()),
  });
  const processes = runner({ ...deps, app: project, log: appLog(name, log, settings.logLines) });
  const records = recordStore(pool);
  const calls = appCalls({
    project,
    installations: installed,
    requests,
    recordsOf: (account) => recordsOf({ store: records, now: ports.now }, { project: name, account }),
    runner: processes,
    now: ports.now,
    log,
    domainSuffix,
    usualDomain,
  });
  const road = installRoad({
    project,
    installations: installed,
    egress: outgoing,
    domainSuffix,
    usualDomain,
    setUp: calls.setUp,
  });

  const renew = () => {
    processes.refresh();
    const warm = async () => {
      const installation = await installed.find();
      if (installation && project().serverCode !== "") calls.warm(installation);
    };
    warm().catch((error: unknown) => log(`error: The app could not be made ready: ${String(error)}`));
  };

  return {
    installations: installed,
    requests,
    calls,
    install: async (given) => {
      const answer = await road(given);
      if (answer.ok) renew();
      return answer;
    },
    uninstall: async () => {
      const installation = await installed.find();
      if (installation) await installed.remove(installation.id);
    },
    once: once({ store: handledStore(pool), now: ports.now, project: name }),
    renew,
    async close() {
      await processes.close();
      await outgoing.close();
    },
  };
}
