import { join } from "node:path";
import { joinDatabase, SECRETS_KEY_FILE, type Connection, type Database } from "@parley/database";
import { serviceConfig, type ServiceConfig } from "@parley/service/config";
import { realPorts } from "@parley/service/ports";
import type { ParleyConfig } from "../../environment/config.ts";
import { fail, ok, warn, type CheckFinding } from "../../output/finding.ts";
import { checkKeyFiles, checkObjectsFolder, checkPrivateFolder, checkWriteLatency } from "./machine.ts";
import { checkMail, checkMetricsPort, checkAddressVariable, checkProxies } from "./network.ts";
import {
  checkConnections,
  checkDatabaseClock,
  checkDemo,
  checkDurability,
  checkLocale,
  checkRole,
  checkTimeouts,
  checkServerTimeZone,
  checkVersion,
} from "./server.ts";
import { serverStore, type DemoAccountRow, type ServerState } from "./server.sql.ts";

/** A check with its name in the report. */
export interface DoctorCheck {
  readonly name: string;
  readonly run: () => CheckFinding | Promise<CheckFinding>;
}

/** The answer of the server of the database. */
interface ServerAnswers {
  readonly state: ServerState;
  readonly demo: readonly DemoAccountRow[];
  readonly embedded: boolean;
  /** This machine's time when the server told its own. @units milliseconds since 1970 */
  readonly askedTime: number;
}

const ask = async (connection: Connection, { embedded }: Database): Promise<ServerAnswers> => {
  const store = serverStore(connection);
  const before = realPorts.now().getTime();
  const state = await store.state();
  return { state, embedded, askedTime: (before + realPorts.now().getTime()) / 2, demo: await store.demoAccounts() };
};

/** Asks the server once. A server that shares sessions is refused here. @errors DatabaseUnavailable */
async function askServer({ dataFolder, databaseUrl }: ParleyConfig): Promise<ServerAnswers> {
  const database = await joinDatabase({ dataFolder, url: databaseUrl, log: () => undefined });
  try {
    const connection = await database.connect("public");
    const answers = await ask(connection, database);
    await connection.close();
    return answers;
  } finally {
    await database.close();
  }
}

const checkSecretsKey = ({ databaseUrl, dataFolder }: ParleyConfig, { secretsKey }: ServiceConfig): CheckFinding =>
  databaseUrl !== undefined && secretsKey === undefined
    ? warn(
        `The key of stored secrets is the file ${join(dataFolder, SECRETS_KEY_FILE)} of this machine.`,
        "With more than one machine, set PARLEY_SECRETS_KEY for all of them; keep the key with your backups in any case.",
      )
    : ok(secretsKey === undefined ? "The key of stored secrets is in the data folder." : "PARLEY_SECRETS_KEY is set.");

/** Code of apps runs for accounts that do not know each other. @shape found: how the operating system isolates it */
const checkIsolation = (found: CheckFinding): CheckFinding =>
  found.level === "ok" ? found : fail(found.message, found.next ?? "");

interface ProductionCheckDeps {
  readonly processes: number;
  readonly findIsolation: () => Promise<CheckFinding>;
  readonly tryObjects: () => Promise<CheckFinding>;
}

/**
 * The checks of an installation for real users.
 * @shape processes: all processes of the service and the platform; findIsolation: how apps are isolated on this machine; tryObjects: writes,
 *   reads and removes an object
 */
export const productionChecks = (
  config: ParleyConfig,
  { processes, findIsolation, tryObjects }: ProductionCheckDeps,
): DoctorCheck[] => {
  const { dataFolder, databaseUrl, appsUrl, metricsPort } = config;
  const settings = serviceConfig();
  const { publicUrl, objects } = settings;
  const place = objects?.place;
  const answers = askServer(config);
  // Each check reports the failure.
  answers.catch(() => undefined);
  const onServer = (name: string, check: (answers: ServerAnswers) => CheckFinding): DoctorCheck => ({
    name,
    run: async () => check(await answers),
  });
  const embedded = databaseUrl === undefined;
  const now = () => realPorts.now().getTime();
  return [
    onServer("Version", ({ state }) => checkVersion(state)),
    onServer("Durability", ({ state }) => checkDurability(state)),
    onServer("Time zone", ({ state }) => checkServerTimeZone(state)),
    onServer("Locale", ({ state }) => checkLocale(state)),
    onServer("Connections", ({ state, embedded: own }) => checkConnections(state, processes, own)),
    onServer("Timeouts", ({ state }) => checkTimeouts(state)),
    onServer("Role", ({ state }) => checkRole(state)),
    onServer("Database clock", ({ state, askedTime }) => checkDatabaseClock(state, askedTime)),
    onServer("Demo", ({ demo }) => checkDemo(demo)),
    { name: "Privacy", run: () => checkPrivateFolder(dataFolder) },
    { name: "Key files", run: () => checkKeyFiles(dataFolder) },
    { name: "Secrets key", run: () => checkSecretsKey(config, settings) },
    { name: "Disk latency", run: () => checkWriteLatency(dataFolder, embedded) },
    {
      name: "Objects",
      run: () =>
        place?.kind === "bucket"
          ? tryObjects()
          : checkObjectsFolder(place?.folder ?? join(dataFolder, "objects"), !embedded, place !== undefined),
    },
    { name: "Isolation", run: async () => checkIsolation(await findIsolation()) },
    { name: "Public address", run: () => checkAddressVariable(publicUrl, "PARLEY_PUBLIC_URL", now()) },
    { name: "Apps address", run: () => checkAddressVariable(appsUrl, "PARLEY_APPS_URL", now()) },
    { name: "Proxies", run: () => checkProxies(settings, publicUrl) },
    { name: "Mail", run: () => checkMail(settings) },
    { name: "Metrics", run: () => checkMetricsPort(metricsPort) },
  ];
};
