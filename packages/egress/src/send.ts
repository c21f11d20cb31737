import { setTimeout } from "node:timers/promises";
import { within } from "./budget.ts";
import { exchange } from "./exchange.ts";
import { EgressFailure } from "./failure.ts";
import type { EgressReason } from "./failure.ts";
import type { Faults } from "./fault.ts";
import type { GuardOptions, Way } from "./guard.ts";
import { destination, resolve } from "./guard.ts";
import type { OutgoingReply, EgressRequest } from "./outgoing.ts";
import { message } from "./outgoing.ts";
import { pools } from "./pools.ts";

export interface EgressOptions extends GuardOptions {
  /** Certificate authorities (PEM) in addition to those of Node. Default: none. */
  readonly ca?: readonly string[];
  /** Injects faults. Default: none. */
  readonly faults?: Faults | undefined;
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
const isPassing = (outcome: Outcome): boolean =>
  "reply" in outcome
    ? outcome.reply.status === 429 || outcome.reply.status >= 500
    : outcome.failure.reason === "CONNECTION";

/** Timeout of the resolver in `vet`. @units milliseconds */
const VETTING = 5_000;

const pause = async (ms: number, signal: AbortSignal | undefined): Promise<void> => {
  await setTimeout(ms, undefined, { signal }).catch(() => signal?.throwIfAborted());
};

/** @assumed Names are resolved once per request: every attempt uses the addresses that were checked first. */
export const egress = (options: EgressOptions = {}): Egress => {
  const connections = pools(options.ca);

  const send = async (request: EgressRequest): Promise<OutgoingReply> => {
    const { url, way: known } = destination(request.url, options);
    const outgoing = message(request, url);
    let way: Way | undefined = known;

    const attempt = async (attempts: number): Promise<Outcome> => {
      const fail = (reason: EgressReason, cause?: unknown) => new EgressFailure(reason, attempts, cause);
      const budget = { ms: request.timeoutMs, signal: request.signal, expired: () => fail("TIMEOUT") };
      const limits = {
        maxResponseBytes: request.maxResponseBytes,
        encoding: request.replyEncoding ?? "utf8",
        tooLarge: () => fail("RESPONSE_TOO_LARGE"),
      };
      try {
        const reply = await within(budget, async (signal) => {
          const fault = options.faults?.({ method: outgoing.method, host: url.host, path: url.pathname });
          if (fault?.kind === "latency") await setTimeout(fault.ms, undefined, { signal });
          if (fault?.kind === "status")
            return { status: fault.status, headers: {}, body: Buffer.from(fault.body ?? "").toString(limits.encoding) };
          if (fault?.kind === "drop" && fault.when === "before") throw fail("CONNECTION");
          way ??= await resolve(url, options);
          signal.throwIfAborted();
          const answer = await exchange(connections.to(way), outgoing, { ...limits, signal });
          if (fault?.kind === "drop") throw fail("CONNECTION");
          return answer;
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
      if (isLast || !isPassing(outcome)) {
        if ("failure" in outcome) throw outcome.failure;
        return { ...outcome.reply, attempts };
      }
      await pause(request.retryDelayMs ?? 0, request.signal);
    }
  };

  const vet = async (text: string): Promise<void> => {
    const { url, way } = destination(text, options);
    if (way) return;
    const unresolved = (error: unknown) => {
      if (error instanceof EgressFailure) throw error;
    };
    const given = new AbortController();
    const patience = setTimeout(VETTING, undefined, { signal: given.signal }).catch(() => undefined);
    await Promise.race([resolve(url, options).catch(unresolved), patience]).finally(() => given.abort());
  };

  return { check: (url) => void destination(url, options), vet, send, close: () => connections.close() };
};
