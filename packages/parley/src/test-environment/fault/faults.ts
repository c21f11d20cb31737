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

/** A fault of one incoming request. @units ms: milliseconds; retryAfter: seconds */
export interface IncomingFault {
  readonly ms: number;
  readonly effect?:
    | { readonly kind: "status"; readonly status: 429 | 500 | 503; readonly retryAfter: number }
    | { readonly kind: "drop"; readonly when: "before" | "after" };
}

/** Fault injection of a local instance. */
export interface InjectedFaults {
  list(): Fault[];
  /** @errors INVALID_VALUE, MISSING_PARAMETER */
  add(input: NewFault): Fault;
  /** -> undefined when there is no fault with this id */
  remove(id: string): Fault | undefined;
  clear(): Fault[];
  /** Whether requests of apps may meet a fault. */
  readonly hasOutgoing: () => boolean;
  /** Registers a listener that is called after each change of the list. */
  readonly onChange: (listener: () => void) => void;
  /** The fault of a request to the service, or undefined. A returned fault counts as having occurred. */
  readonly incoming: (request: { readonly method: string; readonly path: string }) => IncomingFault | undefined;
  /** The fault of a request that the app sends, or undefined. */
  readonly outgoing: FaultInjector;
}

interface Entry {
  readonly fault: NewFault;
  readonly id: string;
  readonly matches: FaultPattern;
  happened: number;
}

/** Members that only one kind of fault has. */
const MEMBERS_BY_KIND: Readonly<Record<NewFault["kind"], readonly (keyof NewFault)[]>> = {
  latency: ["milliseconds"],
  status: ["status", "retry_after"],
  drop: ["when"],
};
const REQUIRED_MEMBER = { latency: "milliseconds", status: "status", drop: "when" } as const;

const checkedPattern = (input: NewFault): FaultPattern => {
  const { kind, target = "service", endpoint = "*", host } = input;
  if (input[REQUIRED_MEMBER[kind]] === undefined)
    refuse(MISSING_PARAMETER, `${REQUIRED_MEMBER[kind]} is mandatory for ${kind}`);
  for (const [other, members] of Object.entries(MEMBERS_BY_KIND))
    for (const member of members)
      if (other !== kind && input[member] !== undefined)
        refuse(INVALID_VALUE, `${member} belongs to ${other}, not to ${kind}`);
  if (input.status === 500 && input.retry_after !== undefined)
    refuse(INVALID_VALUE, "retry_after belongs to the statuses 429 and 503");
  if (host !== undefined && target === "service") refuse(INVALID_VALUE, "host belongs to faults of the target app");
  const matches = patternOf(endpoint);
  if (!matches)
    return refuse(
      INVALID_VALUE,
      "endpoint must be a method and a path, such as 'POST /v2/users', 'GET /v2/users*', '* /v2/*', or *",
    );
  if (target === "service" && /^\S+\s+\/admin(?:[/*]|$)/.test(endpoint.trim()))
    refuse(INVALID_VALUE, "endpoint must not be below /admin, where faults don't apply");
  if (target === "service" && !isServedRoute(endpoint))
    refuse(
      INVALID_VALUE,
      "endpoint matches no endpoint of the service: compare it with the API reference, or end it with *",
    );
  return matches;
};

/** Whether a host matches a pattern such as `api.example.com` or `*.example.com`. The port is compared only if the pattern has a port. */
const matchesHost = (pattern: string | undefined, host: string): boolean => {
  if (pattern === undefined) return true;
  const expected = pattern.toLowerCase();
  const actual = expected.includes(":") ? host.toLowerCase() : host.toLowerCase().replace(/:\d+$/, "");
  return expected.startsWith("*.") ? actual.endsWith(expected.slice(1)) : actual === expected;
};

/**
 * @assumed When several faults match a request, all latencies add up, and of the other kinds the first one applies. A fault that has reached
 * its maximum number of occurrences stays in the list.
 */
export function createInjectedFaults({ random }: Pick<Ports, "random">): InjectedFaults {
  const entries = new Map<string, Entry>();
  const changeListeners = new Set<() => void>();
  let last = 0;
  const changed = () => {
    for (const listener of changeListeners) listener();
  };

  const toFault = ({ id, fault, happened }: Entry): Fault => ({
    id,
    target: "service",
    endpoint: "*",
    rate: 1,
    ...fault,
    happened,
  });
  /** Whether the fault applies by chance. Random bytes are drawn only for faults that have not reached their maximum. */
  const isDue = ({ fault: { rate = 1, times }, happened }: Entry): boolean => {
    if (times !== undefined && happened >= times) return false;
    return rate >= 1 || random(4).readUInt32BE() / 2 ** 32 < rate;
  };

  const matchingFaults = (
    target: NewFault["target"],
    request: Parameters<FaultPattern>[0],
    host?: string,
  ): NewFault[] => {
    const matching: NewFault[] = [];
    for (const entry of entries.values()) {
      const { fault } = entry;
      const hasEffect = fault.kind !== "latency" && matching.some(({ kind }) => kind !== "latency");
      if (hasEffect || (fault.target ?? "service") !== target || !entry.matches(request)) continue;
      if ((host !== undefined && !matchesHost(fault.host, host)) || !isDue(entry)) continue;
      entry.happened += 1;
      matching.push(fault);
    }
    return matching;
  };

  return {
    list: () => [...entries.values()].map(toFault),
    add(input) {
      const entry: Entry = { id: String(last + 1), fault: input, matches: checkedPattern(input), happened: 0 };
      last += 1;
      entries.set(entry.id, entry);
      changed();
      return toFault(entry);
    },
    remove(id) {
      const entry = entries.get(id);
      entries.delete(id);
      changed();
      return entry && toFault(entry);
    },
    clear() {
      const all = [...entries.values()].map(toFault);
      entries.clear();
      last = 0;
      changed();
      return all;
    },
    hasOutgoing: () => [...entries.values()].some(({ fault }) => fault.target === "app"),
    onChange: (listener) => void changeListeners.add(listener),
    incoming(request) {
      if (entries.size === 0) return undefined;
      const matching = matchingFaults("service", request);
      if (matching.length === 0) return undefined;
      const ms = matching.reduce((sum, { milliseconds = 0 }) => sum + milliseconds, 0);
      const effect = matching.find(({ kind }) => kind !== "latency");
      if (effect?.kind === "status")
        return { ms, effect: { kind: "status", status: effect.status ?? 500, retryAfter: effect.retry_after ?? 1 } };
      return effect ? { ms, effect: { kind: "drop", when: effect.when ?? "before" } } : { ms };
    },
    outgoing({ method, host, path }): OutgoingFault | undefined {
      if (entries.size === 0) return undefined;
      const matching = matchingFaults("app", { method, path }, host);
      const effect = matching.find(({ kind }) => kind !== "latency") ?? matching[0];
      if (effect?.kind === "status") return { kind: "status", status: effect.status ?? 500 };
      if (effect?.kind === "drop") return { kind: "drop", when: effect.when ?? "before" };
      return effect && { kind: "latency", ms: effect.milliseconds ?? 0 };
    },
  };
}

type Refused = Extract<IncomingFault["effect"], { kind: "status" }>;

const PROBLEMS = { 429: TOO_MANY_REQUESTS, 500: INTERNAL_SERVER_ERROR, 503: SERVICE_UNAVAILABLE };

/** Refusals that the service is to answer requests with, so that injected errors have the format of the service. */
export const earlyRefusals = () => {
  const planned = new WeakMap<IncomingMessage, Refusal>();
  return {
    plan: (request: IncomingMessage, { status, retryAfter }: Refused): void => {
      planned.set(request, new Refusal(PROBLEMS[status], undefined, status === 500 ? undefined : retryAfter));
    },
    of: (request: IncomingMessage): Refusal | undefined => planned.get(request),
  };
};
