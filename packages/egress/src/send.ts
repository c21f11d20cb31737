import { setTimeout } from "node:timers/promises";
import { withTimeout } from "./time-limit.ts";
import { exchange } from "./exchange.ts";
import { EgressFailure } from "./failure.ts";
import type { EgressReason } from "./failure.ts";
import type { FaultInjector } from "./fault.ts";
import type { GuardOptions, CheckedRoute } from "./guard.ts";
import { checkUrl, resolveRoute } from "./guard.ts";
import type { OutgoingReply, EgressRequest } from "./outgoing.ts";
import { buildMessage } from "./outgoing.ts";
import { createPools } from "./pools.ts";

export interface EgressOptions extends GuardOptions {
  /** Certificate authorities (PEM) in addition to those of Node. */
  readonly ca?: readonly string[];
  /** Injects faults. */
  readonly faults?: FaultInjector | undefined;
}

/** Sends all outgoing requests, after checking their destination. */
export interface Egress {
  /** Checks a URL by its text alone. @errors EgressFailure */
  check(url: string): void;
  /** Checks a URL by the addresses that it resolves to now. A name that can't be resolved is accepted. @errors EgressFailure */
  vet(url: string): Promise<void>;
  /** @errors EgressFailure; the signal's reason if the caller aborts */
  send(request: EgressRequest): Promise<OutgoingReply>;
  /** Closes every connection immediately; running requests fail like those of a lost connection. */
  close(): Promise<void>;
}

type Outcome = { readonly reply: Omit<OutgoingReply, "attempts"> } | { readonly failure: EgressFailure };

/**
 * True if another attempt may succeed.
 * @assumed A lost connection, 429 and 5xx are retried for every method, as on existing app platforms; a timeout, which has used up its time, is not.
 */
const isRetryable = (outcome: Outcome): boolean =>
  "reply" in outcome
    ? outcome.reply.status === 429 || outcome.reply.status >= 500
    : outcome.failure.reason === "CONNECTION";

/** Timeout of the resolver in `vet`. @units milliseconds */
const VET_TIMEOUT_MS = 5_000;

const delay = async (ms: number, signal: AbortSignal | undefined): Promise<void> => {
  await setTimeout(ms, undefined, { signal }).catch(() => signal?.throwIfAborted());
};

/** @assumed Names are resolved once per request: every attempt uses the addresses that were checked first. */
export const egress = (options: EgressOptions = {}): Egress => {
  const connections = createPools(options.ca);

  const send = async (request: EgressRequest): Promise<OutgoingReply> => {
    const { url, route: checkedRoute } = checkUrl(request.url, options);
    // Only an overridden host has a route without addresses.
    const isOwnHost = checkedRoute !== undefined && checkedRoute.addresses === undefined;
    const outgoing = buildMessage(request, url, isOwnHost ? request.ownHeaders : undefined);
    let route: CheckedRoute | undefined = checkedRoute;

    const attempt = async (attempts: number): Promise<Outcome> => {
      const fail = (reason: EgressReason, cause?: unknown) => new EgressFailure(reason, attempts, cause);
      const limit = { ms: request.timeoutMs, signal: request.signal, expired: () => fail("TIMEOUT") };
      const limits = {
        maxResponseBytes: request.maxResponseBytes,
        admitBody: request.admitBody,
        encoding: request.replyEncoding ?? "utf8",
        tooLarge: () => fail("RESPONSE_TOO_LARGE"),
      };
      try {
        const reply = await withTimeout(limit, async (signal) => {
          const fault = await options.faults?.({ method: outgoing.method, host: url.host, path: url.pathname });
          signal.throwIfAborted();
          if (fault?.kind === "latency") await setTimeout(fault.ms, undefined, { signal });
          if (fault?.kind === "status")
            return { status: fault.status, headers: {}, body: Buffer.from(fault.body ?? "").toString(limits.encoding) };
          if (fault?.kind === "drop" && fault.when === "before") throw fail("CONNECTION");
          route ??= await resolveRoute(url, options);
          signal.throwIfAborted();
          const response = await exchange(connections.to(route), outgoing, { ...limits, signal });
          if (fault?.kind === "drop") throw fail("CONNECTION");
          return response;
        });
        return { reply };
      } catch (error) {
        request.signal?.throwIfAborted();
        return { failure: error instanceof EgressFailure ? error : fail("CONNECTION", error) };
      }
    };

    for (let attempts = 1; ; attempts += 1) {
      const outcome = await attempt(attempts);
      const isLast = attempts >= (request.maxAttempts ?? 1) || !connections.isOpen();
      if (isLast || !isRetryable(outcome)) {
        if ("failure" in outcome) throw outcome.failure;
        return { ...outcome.reply, attempts };
      }
      await delay(request.retryDelayMs ?? 0, request.signal);
    }
  };

  const vet = async (text: string): Promise<void> => {
    const { url, route } = checkUrl(text, options);
    if (route) return;
    const unresolved = (error: unknown) => {
      if (error instanceof EgressFailure) throw error;
    };
    const timer = new AbortController();
    const timeout = setTimeout(VET_TIMEOUT_MS, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([resolveRoute(url, options).catch(unresolved), timeout]).finally(() => timer.abort());
  };

  return { check: (url) => void checkUrl(url, options), vet, send, close: () => connections.close() };
};
