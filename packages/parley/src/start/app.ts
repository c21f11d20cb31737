import { PERMISSIONS } from "@parley/contract";
import type { Database } from "@parley/database";
import {
  startAppHost,
  type AppHost,
  type KeyPermissions,
  type ProjectUnusable,
  type RunConsents,
} from "@parley/framework";
import type { LocalService } from "../world/local-service.ts";
import type { CloseStack } from "./close-stack.ts";
import { appKeyFile, keptAppKey } from "../instance/keys.ts";
import { LOOPBACK, portOr, portTaken } from "./ports.ts";

/** The account that a local instance is for. */
export const ACCOUNT = "acme";
/** Hosts of local accounts: `<account>.parley.localhost`. */
export const DOMAIN_SUFFIX = ".parley.localhost";
/** The host of their outbound messages, as the service has it when nothing is set. */
const OUTBOUND_HOST = `outbound${DOMAIN_SUFFIX}`;

export interface AppDeps {
  readonly database: Database;
  readonly dataFolder: string;
  readonly service: LocalService;
  readonly adminKey: string;
  /** Reads and writes as an agent. */
  readonly token: string;
  /** Folders whose code is a package's. */
  readonly packages: ReadonlySet<string>;
  readonly maps: ReadonlyMap<string, string>;
  readonly consents: RunConsents;
  /** Serves each app's page to raise events from. */
  readonly hasSimulationPage: boolean;
  /** Counts what each app's handlers run. */
  readonly isCoverageMeasured: boolean;
  readonly log: (line: string) => void;
  /** An app can't be run as it is. Resolves when it is worth another try. @errors the failure, where it is not */
  readonly mend: (failure: ProjectUnusable, folder: string) => Promise<void>;
}

interface AppPort {
  readonly wanted: number;
  readonly isGiven: boolean;
}

/** The name under which an app host hears the account's events; the first one's is the same for every app. */
const subscriptionOf = (index: number, name: string): string => (index === 0 ? "app-host" : `app-host ${name}`);

/** What an app's key allows: what its requests need; everything where nobody can tell, which is the author's to narrow. */
const allowedBy = ({ permissions, undecided }: KeyPermissions) => (undecided.length === 0 ? permissions : PERMISSIONS);

const lineOf = (app: string, { undecided }: KeyPermissions): string =>
  `The key of ${app} allows everything, since its permissions can't be derived (${undecided
    .map(({ place, reason }) => `${place}: ${reason}`)
    .join("; ")}). For a narrower one: parley token create -p <permission>, saved on the installation page.`;

/** One app with a host of its own, which hears of the account's events. */
export async function startApp(folder: string, index: number, at: AppPort, deps: AppDeps, ends: CloseStack) {
  const { service, adminKey, token, database, dataFolder, maps, consents, log } = deps;
  const origin = `http://${LOOPBACK}:${service.port}`;
  let eventSecret = "";
  let subscription = "";

  let explained = "";
  /** @shape app: its name */
  const appKey = (app: string, needed: KeyPermissions): Promise<string> => {
    const line = needed.undecided.length > 0 ? lineOf(app, needed) : "";
    if (line !== "" && line !== explained) log(line);
    explained = line;
    const name = index === 0 ? "app" : `app ${app}`;
    const permissions = allowedBy(needed);
    return keptAppKey(service.admin, dataFolder, appKeyFile(index, app), { account: ACCOUNT, name, permissions });
  };

  const begin = async (): Promise<AppHost> => {
    const port = await portOr(at.wanted, at.isGiven);
    try {
      return await startAppHost({
        folder,
        // A folder is the operator's own code, unless a package was unpacked there.
        origin: deps.packages.has(folder) ? "package" : "folder",
        database,
        dataFolder,
        port,
        hosts: new Map([`${ACCOUNT}${DOMAIN_SUFFIX}`, OUTBOUND_HOST].map((host) => [host, { origin }])),
        domainSuffix: DOMAIN_SUFFIX,
        eventSecret: () => eventSecret,
        service: { origin, token: () => token, account: ACCOUNT },
        appKey,
        adminKey,
        maps,
        consentsOfRun: consents,
        hasSimulationPage: deps.hasSimulationPage,
        isCoverageMeasured: deps.isCoverageMeasured,
        faults: service.faults,
        ports: service.ports,
        eventsToCome: () => service.admin.pendingEvents({ account: ACCOUNT, name: subscription }),
        log,
      });
    } catch (error) {
      // By name: the framework may be another copy of itself.
      if ((error as Error).name !== "ProjectUnusable") return portTaken(error, "PARLEY_APP_PORT", port);
      await deps.mend(error as ProjectUnusable, folder);
      return begin();
    }
  };
  const host = await begin();
  ends.add(() => host.close());
  subscription = subscriptionOf(index, host.project().name);
  const listen = async () => {
    const url = `http://${LOOPBACK}:${host.port}/events`;
    ({ secret: eventSecret } = await service.admin.subscribe({
      account: ACCOUNT,
      name: subscription,
      kind: "app",
      url,
    }));
  };
  await listen();
  service.follow({
    pause: () => host.pause(),
    async resume() {
      // What is there now may be of another start, with another address.
      await listen();
      await host.resume();
    },
  });
  return { host, subscription };
}
