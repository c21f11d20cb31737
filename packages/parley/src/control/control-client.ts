import { existsSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import type {
  AppSetting,
  AppSettingsAnswer,
  AppSettingsChange,
  Consent,
  ConsentChange,
  EventToRaise,
  FailedSchedule,
  FunctionToCall,
  HostedApp,
  Invocation,
  InvocationQuery,
} from "@parley/contract";
import { adminKeyOf } from "../admin/admin-client.ts";
import { parleyConfig } from "../environment/config.ts";
import { CommandFailure } from "../environment/failure.ts";
import { printable } from "../output/table.ts";
import { findInstance, resolveFolder, type InstanceApp, type FoundInstance } from "../instance/instance.ts";

/** Client of an app host's control API, used by the commands for app authors. */
export interface ControlCalls {
  app(): Promise<HostedApp>;
  raise(event: EventToRaise): Promise<Invocation>;
  invoke(call: FunctionToCall): Promise<Invocation>;
  replay(id: string): Promise<Invocation>;
  find(id: string): Promise<Invocation>;
  /** Schedules whose retries are exhausted, newest last. */
  failed(): Promise<readonly FailedSchedule[]>;
  list(query: InvocationQuery): Promise<readonly Invocation[]>;
  /** Yields each invocation when it ends, starting when the promise resolves, until the host stops or `signal` aborts. */
  follow(query: InvocationQuery, signal?: AbortSignal): Promise<AsyncIterable<Invocation>>;
  /** The consents of the app and their states. */
  consents(): Promise<readonly Consent[]>;
  decide(change: ConsentChange): Promise<readonly Consent[]>;
  /** The settings that the app declares. */
  settings(): Promise<readonly AppSetting[]>;
  changeSettings(change: AppSettingsChange): Promise<AppSettingsAnswer>;
  uninstall(): Promise<void>;
}

/** Request timeout; longer than the longest run of a handler. @units milliseconds */
const REQUEST_TIMEOUT_MS = 60_000;

const failUnreachable = (origin: string): never => {
  throw new CommandFailure(`The app host at ${origin} doesn't answer. Check that it runs, then run the command again.`);
};

const failRefused = async (reply: Response): Promise<never> => {
  const body = (await reply.json().catch(() => ({}))) as { readonly message?: unknown };
  const message = typeof body.message === "string" ? body.message : `it answered ${reply.status}`;
  throw new CommandFailure(printable(message.replace(/\.?$/, ".")).replaceAll("\n", " "));
};

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

async function* invocationsIn(lines: AsyncGenerator<string>): AsyncGenerator<Invocation> {
  try {
    for await (const line of lines) if (line !== "") yield JSON.parse(line) as Invocation;
  } catch (error) {
    // The connection ended: the host stopped, or the caller aborted.
    if (error instanceof SyntaxError) throw error;
  }
}

/** @errors CommandFailure with the message of the host, or when the host does not answer */
export function controlCalls(origin: string, key: string): ControlCalls {
  const send = async (path: string, method = "GET", body?: unknown, signal?: AbortSignal): Promise<Response> => {
    const reply = await fetch(`${origin}/admin/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "error",
      signal: signal ?? AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    }).catch(() => failUnreachable(origin));
    return reply.ok ? reply : failRefused(reply);
  };
  const json = async <T>(path: string, method?: string, body?: unknown) =>
    (await (await send(path, method, body)).json()) as T;
  const queryOf = (query: InvocationQuery) =>
    new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
  const idOf = (id: string) => encodeURIComponent(id);

  return {
    app: () => json("app"),
    raise: (event) => json("events", "POST", event),
    invoke: (call) => json("functions", "POST", call),
    replay: (id) => json(`invocations/${idOf(id)}/replay`, "POST"),
    find: (id) => json(`invocations/${idOf(id)}`),
    failed: async () => (await json<{ failed: readonly FailedSchedule[] }>("schedules/failed")).failed,
    list: async (query) =>
      (await json<{ invocations: readonly Invocation[] }>(`invocations?${queryOf(query)}`)).invocations,
    async follow(query, signal = new AbortController().signal) {
      const reply = await send(`invocations?${queryOf({ ...query, follow: true })}`, "GET", undefined, signal);
      const lines = linesOf(reply.body as unknown as AsyncIterable<Uint8Array>);
      // The host sends an empty first line once the subscription is active.
      await lines.next();
      return invocationsIn(lines);
    },
    consents: async () => (await json<{ consents: readonly Consent[] }>("consents")).consents,
    decide: async (change) => (await json<{ consents: readonly Consent[] }>("consents", "POST", change)).consents,
    settings: async () => (await json<{ settings: readonly AppSetting[] }>("app-settings")).settings,
    changeSettings: (change) => json("app-settings", "POST", change),
    async uninstall() {
      await send("uninstall", "POST");
    },
  };
}

/** A running app with a client for the control API of its host. */
export interface ControlConnection {
  readonly instance: FoundInstance;
  readonly app: InstanceApp;
  readonly calls: ControlCalls;
}

const isInside = (folder: string, path: string): boolean => {
  const relativePath = relative(folder, path);
  return relativePath === "" || (!relativePath.startsWith("..") && !isAbsolute(relativePath));
};

const chooseApp = (apps: readonly InstanceApp[], path: string, nameOrFolder: string | undefined): InstanceApp => {
  const found =
    apps.find(({ folder, name }) => folder === path || name === nameOrFolder) ??
    // A path inside an app's folder matches only if it exists; otherwise the argument is a misspelt name.
    (nameOrFolder === undefined || existsSync(path) ? apps.find(({ folder }) => isInside(folder, path)) : undefined) ??
    (apps.length === 1 && nameOrFolder === undefined ? apps[0] : undefined);
  if (found) return found;
  const names = apps.map(({ name, folder }) => `${name} (${folder})`).join(", ");
  const problem = nameOrFolder === undefined ? "Several apps run here" : `No app ${printable(nameOrFolder)} runs here`;
  throw new CommandFailure(`${problem}. Name one with --app: ${names}.`);
};

/** Finds the host of the app that is given by folder or name, or of the app in the current folder. @errors CommandFailure */
export async function connectApp(nameOrFolder: string | undefined): Promise<ControlConnection> {
  const cwd = process.cwd();
  const path = await resolveFolder(resolve(cwd, nameOrFolder ?? "."));
  const folders = [parleyConfig(undefined, path), parleyConfig(undefined, cwd)].map(({ dataFolder }) => dataFolder);
  const instance = (await findInstance(folders[0] ?? "")) ?? (await findInstance(folders[1] ?? ""));
  if (!instance)
    throw new CommandFailure(
      `No app runs in ${folders[0] ?? ""}. Start it with 'npx parley run' in its folder, or name another folder with --app.`,
    );
  const app = chooseApp(instance.apps ?? [], path, nameOrFolder);
  return { instance, app, calls: controlCalls(app.app, await adminKeyOf(instance.folder)) };
}
