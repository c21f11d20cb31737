import type { IncomingMessage } from "node:http";
import {
  INTERNAL_SERVER_ERROR,
  Refusal,
  SERVICE_UNAVAILABLE,
  TOO_MANY_REQUESTS,
  INVALID_VALUE,
  MISSING_PARAMETER,
  refuse,
  type Fault,
  type NewFault,
} from "@parley/contract";
import type { FaultInjector, OutgoingFault } from "@parley/framework";
import type { Ports } from "@parley/service";
import { isServedRoute, patternOf, type FaultPattern } from "./pattern.ts";

/** What goes wrong with one request to the service. @units ms: milliseconds; retryAfter: seconds */
export interface IncomingFault {
  readonly ms: number;
  readonly rest?:
    | { readonly kind: "status"; readonly status: 429 | 500 | 503; readonly retryAfter: number }
    | { readonly kind: "drop"; readonly when: "before" | "after" };
}

/** What is to go wrong, by somebody's wish. */
export interface WorldFaults {
  list(): Fault[];
  /** @errors INVALID_VALUE, MISSING_PARAMETER */
  add(wanted: NewFault): Fault;
  /** -> undefined where there is none of this id */
  remove(id: string): Fault | undefined;
  clear(): Fault[];
  /** What goes wrong with a request to the service; it counts as happened. */
  readonly incoming: (request: { readonly method: string; readonly path: string }) => IncomingFault | undefined;
  /** The same of a request that the app sends. */
  readonly outgoing: FaultInjector;
}

interface Entry {
  readonly fault: NewFault;
  readonly id: string;
  readonly fits: FaultPattern;
  happened: number;
}

/** Members that only one kind of fault has. */
const OWN: Readonly<Record<NewFault["kind"], readonly (keyof NewFault)[]>> = {
  latency: ["milliseconds"],
  status: ["status", "retry_after"],
  drop: ["when"],
};
const NEEDED = { latency: "milliseconds", status: "status", drop: "when" } as const;

const checked = (wanted: NewFault): FaultPattern => {
  const { kind, target = "service", endpoint = "*", host } = wanted;
  if (wanted[NEEDED[kind]] === undefined) refuse(MISSING_PARAMETER, `${NEEDED[kind]} is mandatory for ${kind}`);
  for (const [other, members] of Object.entries(OWN))
    for (const member of members)
      if (other !== kind && wanted[member] !== undefined)
        refuse(INVALID_VALUE, `${member} belongs to ${other}, not to ${kind}`);
  if (wanted.status === 500 && wanted.retry_after !== undefined)
    refuse(INVALID_VALUE, "retry_after belongs to the statuses 429 and 503");
  if (host !== undefined && target === "service") refuse(INVALID_VALUE, "host belongs to faults of the target app");
  const fits = patternOf(endpoint);
  if (!fits)
    return refuse(
      INVALID_VALUE,
      "endpoint must be a method and a path, such as 'POST /v2/users', 'GET /v2/users*', '* /v2/*', or *",
    );
  if (target === "service" && /^\S+\s+\/admin(?:[/*]|$)/.test(endpoint.trim()))
    refuse(INVALID_VALUE, "endpoint must lie outside of /admin: nothing goes wrong there by wish");
  if (target === "service" && !isServedRoute(endpoint))
    refuse(INVALID_VALUE, "endpoint names none of the service: compare it with the reference, or end it with *");
  return fits;
};

/** Whether a host is `pattern`, or below it where that begins with `*.`; the port counts only where the pattern has one. */
const isHost = (pattern: string | undefined, host: string): boolean => {
  if (pattern === undefined) return true;
  const wanted = pattern.toLowerCase();
  const asked = wanted.includes(":") ? host.toLowerCase() : host.toLowerCase().replace(/:\d+$/, "");
  return wanted.startsWith("*.") ? asked.endsWith(wanted.slice(1)) : asked === wanted;
};

/**
 * @assumed Of the faults that fit a request all latencies add up, and of the others the first one happens. A fault that has happened
 * as often as it may stays in the list.
 */
export function worldFaults({ random }: Pick<Ports, "random">): WorldFaults {
  const entries = new Map<string, Entry>();
  let last = 0;

  const shown = ({ id, fault, happened }: Entry): Fault => ({
    id,
    target: "service",
    endpoint: "*",
    rate: 1,
    ...fault,
    happened,
  });
  /** Whether the die says so; it is cast for those alone that may happen. */
  const isDue = ({ fault: { rate = 1, times }, happened }: Entry): boolean => {
    if (times !== undefined && happened >= times) return false;
    return rate >= 1 || random(4).readUInt32BE() / 2 ** 32 < rate;
  };

  const happening = (target: NewFault["target"], request: Parameters<FaultPattern>[0], host?: string): NewFault[] => {
    const found: NewFault[] = [];
    for (const entry of entries.values()) {
      const { fault } = entry;
      const isTaken = fault.kind !== "latency" && found.some(({ kind }) => kind !== "latency");
      if (isTaken || (fault.target ?? "service") !== target || !entry.fits(request)) continue;
      if ((host !== undefined && !isHost(fault.host, host)) || !isDue(entry)) continue;
      entry.happened += 1;
      found.push(fault);
    }
    return found;
  };

  return {
    list: () => [...entries.values()].map(shown),
    add(wanted) {
      const entry: Entry = { id: String(last + 1), fault: wanted, fits: checked(wanted), happened: 0 };
      last += 1;
      entries.set(entry.id, entry);
      return shown(entry);
    },
    remove(id) {
      const entry = entries.get(id);
      entries.delete(id);
      return entry && shown(entry);
    },
    clear() {
      const all = [...entries.values()].map(shown);
      entries.clear();
      last = 0;
      return all;
    },
    incoming(request) {
      if (entries.size === 0) return undefined;
      const found = happening("service", request);
      if (found.length === 0) return undefined;
      const ms = found.reduce((sum, { milliseconds = 0 }) => sum + milliseconds, 0);
      const rest = found.find(({ kind }) => kind !== "latency");
      if (rest?.kind === "status")
        return { ms, rest: { kind: "status", status: rest.status ?? 500, retryAfter: rest.retry_after ?? 1 } };
      return rest ? { ms, rest: { kind: "drop", when: rest.when ?? "before" } } : { ms };
    },
    outgoing({ method, host, path }): OutgoingFault | undefined {
      if (entries.size === 0) return undefined;
      const found = happening("app", { method, path }, host);
      const rest = found.find(({ kind }) => kind !== "latency") ?? found[0];
      if (rest?.kind === "status") return { kind: "status", status: rest.status ?? 500 };
      if (rest?.kind === "drop") return { kind: "drop", when: rest.when ?? "before" };
      return rest && { kind: "latency", ms: rest.milliseconds ?? 0 };
    },
  };
}

type Refused = Extract<IncomingFault["rest"], { kind: "status" }>;

const PROBLEMS = { 429: TOO_MANY_REQUESTS, 500: INTERNAL_SERVER_ERROR, 503: SERVICE_UNAVAILABLE };

/** What the service is to refuse requests with, so that the answer is one of its own. */
export const earlyRefusals = () => {
  const planned = new WeakMap<IncomingMessage, Refusal>();
  return {
    plan: (request: IncomingMessage, { status, retryAfter }: Refused): void => {
      planned.set(request, new Refusal(PROBLEMS[status], undefined, status === 500 ? undefined : retryAfter));
    },
    of: (request: IncomingMessage): Refusal | undefined => planned.get(request),
  };
};
