import { join } from "node:path";
import { expect } from "@jest/globals";
import { logText } from "@parley/telemetry";
import { parley, startParley, temporaryFolder, type CommandResult } from "../../../test/support/parley-process.ts";
import type { RunningParley } from "../../../test/support/parley-process.ts";
import { announceInstance, type Instance } from "../src/instance/instance.ts";
import { API_KEY, ensureAdminKey, ensureApiKey } from "../src/instance/keys.ts";
import { startLocalService } from "../src/test-environment/local-service.ts";
import { callParley } from "./command-call.ts";
import { migratedDatabase } from "./migrated-database.ts";

/** Commands of parley on the data folder of an instance. */
interface InstanceCommands {
  readonly folder: string;
  /** Runs a command in this process. `input` is its standard input. */
  call(args: readonly string[], input?: string, folder?: string): Promise<CommandResult>;
  /** Expects the command to succeed. Returns its output. */
  callSuccessfully(args: readonly string[], input?: string): Promise<string>;
  /** Expects the command to fail. Returns its one-line error message. */
  callFailing(args: readonly string[], input?: string): Promise<string>;
}

const commandsOf = (dataFolder: string): InstanceCommands => {
  const call: InstanceCommands["call"] = (args, input, folder = dataFolder) =>
    callParley(args, { env: { PARLEY_DATA: folder }, ...(input !== undefined && { input }) });
  return {
    folder: dataFolder,
    call,
    async callSuccessfully(args, input) {
      const { status, stdout, stderr } = await call(args, input);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      return stdout;
    },
    async callFailing(args, input) {
      const { status, stdout, stderr } = await call(args, input);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(/^parley: [^\n]+\n$/);
      return stderr;
    },
  };
};

/** The service of an instance in this process, without apps, and commands that find it. */
export interface CommandHarness extends InstanceCommands {
  /** URL of the service without the version segment. */
  readonly origin: string;
  readonly instance: Instance;
  /** Key of the account acme. */
  readonly token: string;
  /** Log lines of the service. */
  readonly lines: readonly string[];
  close(): Promise<void>;
}

export async function commandHarness(): Promise<CommandHarness> {
  const [data, database] = await Promise.all([temporaryFolder(), migratedDatabase()]);
  const { folder: dataFolder } = data;
  const lines: string[] = [];
  const local = await startLocalService({
    database,
    port: 0,
    adminKey: await ensureAdminKey(dataFolder),
    dataFolder,
    objectsFolder: join(dataFolder, "objects"),
    log: (...line) => void lines.push(logText(...line)),
  });
  await local.admin.ensureDemo();
  const token = await ensureApiKey(local.admin, dataFolder, API_KEY, { account: "acme", name: "local" });
  await local.ensureSeed();
  const origin = `http://localhost:${local.port}`;
  // No app host listens there: commands only show the addresses.
  const app = "http://localhost:1";
  const instance: Instance = {
    pid: process.pid,
    service: `${origin}/v2`,
    app,
    installPage: `${app}/custom_configs`,
    account: "acme",
  };
  const withdraw = await announceInstance(dataFolder, instance, []);
  return {
    ...commandsOf(dataFolder),
    origin,
    instance,
    token,
    lines,
    async close() {
      await withdraw();
      await local.close();
      await database.close();
      await data.remove();
    },
  };
}

/** A running instance in processes of its own, and commands with its data folder. */
export interface InstanceHarness extends InstanceCommands {
  readonly running: RunningParley;
  /** URL of the service without the version segment. */
  readonly origin: string;
  /** Runs a command in a separate process, as a shell does. */
  run(args: readonly string[], input?: string): Promise<CommandResult>;
  /** Starts the instance again on its data folder. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function instanceHarness(): Promise<InstanceHarness> {
  const data = await temporaryFolder();
  const start = () => startParley(data.folder, { args: ["--no-install"], env: { PARLEY_CALLS_PER_HOUR: "" } });
  let running = await start();
  return {
    ...commandsOf(data.folder),
    get running() {
      return running;
    },
    get origin() {
      return new URL(running.service).origin;
    },
    run: (args, input = "") => parley(args, { env: { PARLEY_DATA: data.folder }, input }),
    async restart() {
      running = await start();
    },
    async close() {
      await running.stop();
      await data.remove();
    },
  };
}
