import { isObject, PERMISSIONS } from "@parley/contract";
import { consoleOriginsOf } from "@parley/framework/operation";
import type { KeyPermissions, ProjectUnusable, RunConsents } from "@parley/framework";
import type { Log } from "@parley/telemetry";
import { CommandFailure } from "../environment/failure.ts";
import { readJson } from "../input/json.ts";
import type { LocalService } from "../test-environment/local-service.ts";
import type { AppPlatform, PlatformHost } from "../platform-process/app-platform.ts";
import { appKeyFile, ensureAppKey } from "../instance/keys.ts";
import { LOOPBACK, choosePort, failAtPort } from "../environment/ports.ts";

/** The account of a local instance. */
export const LOCAL_ACCOUNT = "acme";
/** Domain of local accounts: `<account>.parley.localhost`. */
export const DOMAIN_SUFFIX = ".parley.localhost";
/** Host of outbound messages, the default of the service. */
const OUTBOUND_HOST = `outbound${DOMAIN_SUFFIX}`;

export interface AppDeps {
  readonly platform: AppPlatform;
  readonly dataFolder: string;
  readonly service: LocalService;
  readonly adminKey: string;
  /** API key of an agent, used by the app host. */
  readonly token: string;
  /** Folders that were unpacked from packages. */
  readonly packages: ReadonlySet<string>;
  readonly maps: ReadonlyMap<string, string>;
  readonly consents: RunConsents;
  /** Whether pages need a signed-in agent. */
  readonly isSignInRequired: boolean;
  /** Measures the coverage of each app's handlers. */
  readonly isCoverageMeasured: boolean;
  readonly log: Log;
  /** Called when an app can't be run. Resolves when the start must be retried. @errors the failure, when it must not be retried */
  readonly awaitRetry: (failure: ProjectUnusable, folder: string) => Promise<void>;
}

interface AppPort {
  readonly port: number;
  readonly isExplicit: boolean;
}

/** Name of the event subscription of an app host. The first app always uses the same name, whichever app it is. */
const subscriptionOf = (index: number, name: string): string => (index === 0 ? "app-host" : `app-host ${name}`);

/** Permissions of an app's key: those that its requests need, or all when they can't be derived. */
const grantedPermissions = ({ permissions, undecided }: KeyPermissions) =>
  undecided.length === 0 ? permissions : PERMISSIONS;

const unrestrictedKeyWarning = (app: string, { undecided }: KeyPermissions): string =>
  `The key of ${app} has all permissions, because the needed ones can't be derived (${undecided
    .map(({ place, reason }) => `${place}: ${reason}`)
    .join(
      "; ",
    )}). To restrict it, create a key with 'npx parley token create -p <permission>' and save it on the installation page.`;

/** Starts one app with its own host, in the platform process, and subscribes the host to the account's events. */
export async function startApp(folder: string, index: number, appPort: AppPort, deps: AppDeps) {
  const { service, adminKey, token, platform, dataFolder, maps, consents, log } = deps;
  const origin = `http://${LOOPBACK}:${service.port}`;
  const serviceOrigin = `http://localhost:${service.port}`;
  let subscription = "";

  let lastWarning = "";
  /** @shape app: name of the app */
  const appKey = (app: string, needed: KeyPermissions): Promise<string> => {
    const line = needed.undecided.length > 0 ? unrestrictedKeyWarning(app, needed) : "";
    if (line !== "" && line !== lastWarning) log(line);
    lastWarning = line;
    const name = index === 0 ? "app" : `app ${app}`;
    const permissions = grantedPermissions(needed);
    return ensureAppKey(service.admin, dataFolder, appKeyFile(index, app), {
      account: LOCAL_ACCOUNT,
      name,
      permissions,
    });
  };

  const startHost = async (): Promise<PlatformHost> => {
    const port = await choosePort(appPort.port, appPort.isExplicit);
    try {
      return await platform.startHost(
        {
          folder,
          // A folder holds the operator's own code, unless a package was unpacked there.
          origin: deps.packages.has(folder) ? "package" : "folder",
          port,
          hosts: new Map([`${LOCAL_ACCOUNT}${DOMAIN_SUFFIX}`, OUTBOUND_HOST].map((host) => [host, { origin }])),
          domainSuffix: DOMAIN_SUFFIX,
          service: { origin, token, account: LOCAL_ACCOUNT },
          identity: { origin, adminKey, account: LOCAL_ACCOUNT },
          // One host of the instance serves published apps.
          ...(index === 0 && { published: { serviceOrigin } }),
          ...(deps.isSignInRequired && { signIn: { serviceOrigin } }),
          consoleOrigins: consoleOriginsOf({ serviceOrigin, account: LOCAL_ACCOUNT, domainSuffix: DOMAIN_SUFFIX }),
          adminKey,
          // Published apps can be installed on each account of the instance.
          maps: new Map([[`*${DOMAIN_SUFFIX}`, origin], ...maps]),
          consentsOfRun: consents,
          isCoverageMeasured: deps.isCoverageMeasured,
        },
        {
          appKey,
          eventsToCome: () => service.admin.pendingEvents({ account: LOCAL_ACCOUNT, name: subscription }),
          async subscribe(host) {
            subscription = subscriptionOf(index, host.name);
            const url = `http://${LOOPBACK}:${host.port}/events`;
            const options = { account: LOCAL_ACCOUNT, name: subscription, kind: "app" as const, url };
            return (await service.admin.subscribe(options)).secret;
          },
        },
      );
    } catch (error) {
      // Compares names, because the error comes from another process.
      if ((error as Error).name !== "ProjectUnusable") return failAtPort(error, "PARLEY_APP_PORT", port);
      await deps.awaitRetry(error as ProjectUnusable, folder);
      return startHost();
    }
  };
  const host = await startHost();
  return { host, subscription };
}

/** How an app that isn't installed yet is installed at a start: not at all, with its defaults, or with given values. */
export type StartInstallation =
  | { readonly by: "none" }
  | { readonly by: "defaults" }
  | { readonly by: "values"; readonly values: Readonly<Record<string, unknown>>; readonly file: string };

const EXPECTED_VALUES = 'Write one JSON object of values by key, such as {"greeting": "Hello"}.';

/** Reads values of installation parameters from a JSON file or from standard input. The app host checks them. @errors CommandFailure */
async function readIparamValues(file: string): Promise<Readonly<Record<string, unknown>>> {
  const values = await readJson(file, EXPECTED_VALUES);
  if (isObject(values)) return values;
  throw new CommandFailure(`The file ${file} does not contain a JSON object. ${EXPECTED_VALUES}`);
}

/** How `parley run` installs its apps. @shape iparams: path of a JSON file with parameter values @errors CommandFailure */
export const startInstallationOf = async (
  iparams: string | undefined,
  install: boolean,
): Promise<StartInstallation> => {
  if (iparams !== undefined) return { by: "values", values: await readIparamValues(iparams), file: iparams };
  return { by: install ? "defaults" : "none" };
};

/** -> whether the app is installed now. @errors CommandFailure with the invalid values */
export async function installAtStart(host: PlatformHost, installation: StartInstallation): Promise<boolean> {
  if (installation.by === "none") return host.isInstalled();
  if (installation.by === "defaults" && (await host.isInstalled())) return true;
  const result = await host.install(installation.by === "values" ? installation.values : {});
  if (result.ok) return true;
  const fields = Object.entries(result.errors).map(([name, text]) => `${name}: ${text}`);
  const reasons = [result.message, ...fields].filter(Boolean).join("; ");
  throw new CommandFailure(
    installation.by === "values"
      ? `${host.name} can't be installed with the values of ${installation.file} (${reasons}). Correct them, or fill in the installation page.`
      : `The app can't be installed with its defaults (${reasons}). ` +
          "Correct config/iparams.json, pass values with 'npx parley run --iparams values.json', or start without installing and fill in the installation page.",
  );
}
