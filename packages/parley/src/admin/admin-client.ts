import { join } from "node:path";
import {
  admin,
  routeOf,
  testEnvironment,
  type Endpoint,
  type InputOf,
  type ReplyOf,
  type Resource,
} from "@parley/contract";
import { parleyConfig } from "../environment/config.ts";
import { CommandFailure } from "../environment/failure.ts";
import { readSecret } from "../instance/data-folder.ts";
import { findInstance, type FoundInstance } from "../instance/instance.ts";
import { ADMIN_KEY } from "../instance/keys.ts";
import { printable } from "../output/table.ts";

/** Makes `query` optional for endpoints whose query has no mandatory members. */
type OptionalQuery<I> = I extends { readonly query: infer Q } & (infer R)
  ? object extends Q
    ? Omit<R, "query"> & { readonly query?: Q }
    : I
  : I;
/** Adds the body of endpoints that take a package. */
type WithPackage<E extends Endpoint> = E extends { readonly bodyType: "application/zip" }
  ? { readonly body: Uint8Array<ArrayBuffer> }
  : unknown;
/** One typed function for each endpoint of a resource table of the admin API. */
type AdminCalls<T extends Resource> = {
  readonly [K in keyof T]: (input: OptionalQuery<InputOf<T[K]>> & WithPackage<T[K]>) => Promise<ReplyOf<T[K]>>;
};

interface Input {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
}

/** Request timeout. Applying a large account document waits until a concurrent one has ended. @units milliseconds */
const REQUEST_TIMEOUT_MS = 60_000;
/** Request timeout of endpoints whose duration grows with the size of the input. @units milliseconds */
const LONG_REQUEST_TIMEOUT_MS = 290_000;
const LONG_ROUTES = ["POST /admin/world/seed", "POST /platform/packages"];

/** Advice by error code, for refusals that the user can resolve with another command or argument. */
export type RefusalHints = Readonly<Record<string, string>>;

const HINTS: RefusalHints = {
  ACCOUNT_NOT_FOUND: "'npx parley account list' shows the accounts.",
  ACCOUNT_EXISTS: "'npx parley account list' shows the accounts.",
  ACCOUNT_CLOSED: "'npx parley account reopen <name>' reopens it before its data is deleted.",
  TOKEN_NOT_FOUND: "'npx parley token list' shows the tokens of an account.",
  WEBHOOK_NOT_FOUND: "'npx parley webhook list' shows the webhooks of an account.",
  SNAPSHOT_NOT_FOUND: "'npx parley snapshot list' shows the snapshots.",
  FAULT_NOT_FOUND: "'npx parley fault list' shows the faults.",
  SUBSCRIPTION_NOT_FOUND: "'npx parley deliveries list' shows the subscriptions.",
  EVENT_NOT_FOUND: "'npx parley deliveries show <subscription>' lists events with their ids.",
  UNAUTHENTICATED: "Restart the instance, so that it reads the key again.",
  NOT_FOUND: "The running instance is an older release without this command: restart it.",
};

const urlOf = (origin: string, row: Endpoint, { params = {}, query = {} }: Input): string => {
  const path = routeOf(row).path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const defined = Object.entries(query).filter(([, value]) => value !== undefined);
  return `${origin}${path}?${new URLSearchParams(defined.map(([name, value]) => [name, String(value)])).toString()}`;
};

const failRefused = (text: string, code: number, hints: RefusalHints = HINTS): never => {
  let problem: { status?: string; message?: string } = {};
  try {
    problem = JSON.parse(text) as typeof problem;
  } catch {
    // The response is not JSON, so another program may listen on this port: only the HTTP status is reported.
  }
  const { status = String(code), message = "no reason given" } = problem;
  const sentence = `The service refused: ${status}: ${message.replace(/\.?$/, ".")}`;
  throw new CommandFailure(
    printable([sentence, ...(hints[status] ? [hints[status]] : [])].join(" ")).replaceAll("\n", " "),
  );
};

const failUnreachable = (origin: string): never => {
  throw new CommandFailure(
    `The instance at ${origin} doesn't answer. Check that it runs, or restart it, then run the command again.`,
  );
};

const parseReply = (text: string, origin: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // A successful response that is not JSON comes from another program on the same port.
    return failUnreachable(origin);
  }
};

/** The body of a request: a package as it is, everything else as JSON. */
const requestBody = ({ bodyType }: Endpoint, { body }: Input): { readonly type: string; readonly bytes: BodyInit } =>
  bodyType === "application/zip" && body instanceof Uint8Array
    ? { type: bodyType, bytes: body as Uint8Array<ArrayBuffer> }
    : { type: "application/json", bytes: JSON.stringify(body) };

/**
 * Creates the functions that call the endpoints of a resource table.
 * @shape hints: replace the general advice
 * @errors CommandFailure when the request is refused or no response arrives
 */
export function createAdminCalls<const T extends Resource>(
  table: T,
  origin: string,
  key: string,
  hints: RefusalHints = {},
): AdminCalls<T> {
  const callOf = (row: Endpoint) => async (input: Input) => {
    const sent = input.body === undefined ? undefined : requestBody(row, input);
    const reply = await fetch(urlOf(origin, row, input), {
      method: routeOf(row).method,
      headers: {
        accept: "application/json",
        authorization: `Bearer ${key}`,
        ...(sent && { "content-type": sent.type }),
      },
      ...(sent && { body: sent.bytes }),
      redirect: "error",
      signal: AbortSignal.timeout(LONG_ROUTES.includes(row.route) ? LONG_REQUEST_TIMEOUT_MS : REQUEST_TIMEOUT_MS),
    }).catch(() => failUnreachable(origin));
    const text = await reply.text().catch(() => failUnreachable(origin));
    return reply.ok ? parseReply(text, origin) : failRefused(text, reply.status, { ...HINTS, ...hints });
  };
  // `Object.fromEntries` loses the types of the rows: each function has the type of its own row.
  return Object.fromEntries(
    Object.entries(table).map(([name, row]) => [name, callOf(row)]),
  ) as unknown as AdminCalls<T>;
}

/**
 * Reads a reply of lines. Its duration has no limit.
 * @errors CommandFailure when the request is refused, no response arrives, or the response ends early
 */
async function* readAdminLines(row: Endpoint, input: Input, origin: string, key: string): AsyncGenerator<Uint8Array> {
  const headers = { authorization: `Bearer ${key}` };
  const reply = await fetch(urlOf(origin, row, input), { headers, redirect: "error" }).catch(() =>
    failUnreachable(origin),
  );
  if (!reply.ok) failRefused(await reply.text().catch(() => failUnreachable(origin)), reply.status);
  if (!reply.body) return;
  const reader = reply.body.getReader();
  const next = () =>
    reader.read().catch(() => {
      throw new CommandFailure(
        "The response of the service ended early, so the written output is incomplete. Run the command again.",
      );
    });
  try {
    for (let chunk = await next(); !chunk.done; chunk = await next()) yield chunk.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

interface Pages {
  readonly pagination: { readonly total_pages: number };
}

/** Reads all pages of a list, in order. */
export async function* listPages<P extends Pages>(read: (page: number) => Promise<P>): AsyncGenerator<P> {
  for (let page = 1, last = 1; page <= last; page++) {
    const reply = await read(page);
    last = reply.pagination.total_pages;
    yield reply;
  }
}

/** A running instance with clients that are authenticated by its admin key. */
export interface AdminConnection {
  readonly instance: FoundInstance;
  /** Origin of the service, without the version segment. */
  readonly origin: string;
  readonly calls: AdminCalls<typeof admin>;
  /** Reads the reply of an endpoint that returns lines, in chunks. */
  readonly lines: (row: Endpoint, input: Input) => AsyncIterable<Uint8Array>;
  /** Endpoints that only a local instance serves: clock, faults, snapshots and seed. */
  readonly testEnvironment: AdminCalls<typeof testEnvironment>;
}

export const adminKeyOf = async (folder: string): Promise<string> => {
  const { adminKey } = parleyConfig();
  if (adminKey !== undefined) return adminKey;
  const path = join(folder, ADMIN_KEY);
  const key = await readSecret(folder, ADMIN_KEY).catch((error: unknown) => {
    const reason = (error as NodeJS.ErrnoException).code ?? "error";
    throw new CommandFailure(
      `The admin key ${path} can't be read (${reason}). Run the command as the user who started the instance.`,
    );
  });
  if (key !== undefined) return key;
  throw new CommandFailure(`The admin key ${path} is missing. Restart the instance: it creates a new key.`);
};

/** Loopback address of a server that listens on all addresses. Links with secrets can begin with addresses of this machine only. */
const LOOPBACK_OF: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "[::]": "[::1]" };

const originOf = (service: string): string => {
  const url = new URL(service);
  url.hostname = LOOPBACK_OF[url.hostname] ?? url.hostname;
  return url.origin;
};

/** Finds the instance that runs on the data folder, and its admin key. @errors CommandFailure */
export async function connectAdmin(): Promise<AdminConnection> {
  const { dataFolder } = parleyConfig();
  const instance = await findInstance(dataFolder);
  if (!instance)
    throw new CommandFailure(
      `No instance runs on ${dataFolder}. Start an instance with 'npx parley start', or set PARLEY_DATA to the data folder of a running instance.`,
    );
  const origin = originOf(instance.service);
  const key = await adminKeyOf(instance.folder);
  return {
    instance,
    origin,
    calls: createAdminCalls(admin, origin, key),
    lines: (row, input) => readAdminLines(row, input, origin, key),
    testEnvironment: createAdminCalls(testEnvironment, origin, key),
  };
}
