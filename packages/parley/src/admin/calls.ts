import { routeOf, type Endpoint, type InputOf, type ReplyOf, type Resource } from "@parley/contract";
import { CommandFailure } from "../environment/failure.ts";
import { printable } from "../output/table.ts";

/** An endpoint without mandatory members of its query may be called without any. */
type Lenient<I> = I extends { readonly query: infer Q } & infer R
  ? object extends Q
    ? Omit<R, "query"> & { readonly query?: Q }
    : I
  : I;
/** One function for each row of a table of the owner's. */
export type AdminCalls<T extends Resource> = {
  readonly [K in keyof T]: (input: Lenient<InputOf<T[K]>>) => Promise<ReplyOf<T[K]>>;
};

interface Input {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
}

/** A run of a large document waits for another one. @units milliseconds */
const PATIENCE = 60_000;
/** What is done step by step takes as long as it has steps. @units milliseconds */
const LONG = 290_000;
const LONG_ROUTES = ["POST /admin/world/seed"];

/** What to do about a refusal that a flag of the command can mend. */
const HINTS: Readonly<Record<string, string>> = {
  ACCOUNT_NOT_FOUND: "'parley account list' shows those that there are.",
  TOKEN_NOT_FOUND: "'parley token list' shows those of an account.",
  WEBHOOK_NOT_FOUND: "'parley webhook list' shows those of an account.",
  SNAPSHOT_NOT_FOUND: "'parley snapshot list' shows those that there are.",
  FAULT_NOT_FOUND: "'parley fault list' shows those that there are.",
  SUBSCRIPTION_NOT_FOUND: "'parley deliveries list' shows those that there are.",
  EVENT_NOT_FOUND: "'parley deliveries show <subscription>' lists events with their ids.",
  UNAUTHENTICATED: "Restart the instance to have it read the key anew.",
  NOT_FOUND: "The instance is of a release without this command: restart it.",
};

const addressOf = (origin: string, row: Endpoint, { params = {}, query = {} }: Input): string => {
  const path = routeOf(row).path.replace(/\{(\w+)\}/g, (_, hole: string) => encodeURIComponent(params[hole] ?? ""));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return `${origin}${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
};

const refused = (text: string, code: number): never => {
  let problem: { status?: string; message?: string } = {};
  try {
    problem = JSON.parse(text) as typeof problem;
  } catch {
    // Something else than the service answers on this port: the code is all that it said.
  }
  const { status = String(code), message = "no reason given" } = problem;
  const said = `The service refused: ${status}: ${message.replace(/\.?$/, ".")}`;
  throw new CommandFailure(
    printable([said, ...(HINTS[status] ? [HINTS[status]] : [])].join(" ")).replaceAll("\n", " "),
  );
};

const unreachable = (origin: string): never => {
  throw new CommandFailure(
    `The instance at ${origin} doesn't answer. Check that it runs, or restart it, and give the command again.`,
  );
};

const answerIn = (text: string, origin: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Somebody else took the port since.
    return unreachable(origin);
  }
};

/**
 * The functions of a table's rows.
 * @errors UsageFailure for a refusal, and where no answer came
 */
export function createAdminCalls<const T extends Resource>(table: T, origin: string, key: string): AdminCalls<T> {
  const callOf = (row: Endpoint) => async (input: Input) => {
    const { body } = input;
    const reply = await fetch(addressOf(origin, row, input), {
      method: routeOf(row).method,
      headers: {
        accept: "application/json",
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: "error",
      signal: AbortSignal.timeout(LONG_ROUTES.includes(row.route) ? LONG : PATIENCE),
    }).catch(() => unreachable(origin));
    const text = await reply.text().catch(() => unreachable(origin));
    return reply.ok ? answerIn(text, origin) : refused(text, reply.status);
  };
  // The rows' types are erased by the walk; each function is its row's.
  return Object.fromEntries(
    Object.entries(table).map(([name, row]) => [name, callOf(row)]),
  ) as unknown as AdminCalls<T>;
}

interface Pages {
  readonly pagination: { readonly total_pages: number };
}

/** Every page of a list, one after the other. */
export async function* listPages<P extends Pages>(read: (page: number) => Promise<P>): AsyncGenerator<P> {
  for (let page = 1, last = 1; page <= last; page++) {
    const reply = await read(page);
    last = reply.pagination.total_pages;
    yield reply;
  }
}
