import type { Agent as HttpAgent } from "node:http";
import type { Agent as HttpsAgent } from "node:https";

/** Clock, randomness and connections of the client: the only module that depends on the environment, Node or a browser. */
export const now = (): number => Date.now();
/** Random number from 0 to 1. */
export const random = (): number => Math.random();
/** A unique idempotency key. Not a UUID of the browser, which creates no UUIDs on pages without TLS. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Resolves after the delay. @errors the reason of the signal, if it is aborted first */
export const delay = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });

/** Called when a browser is online again. -> removes the listener */
const onOnline = (listener: () => void): (() => void) => {
  const { addEventListener, removeEventListener } = globalThis as Partial<
    Pick<Window, "addEventListener" | "removeEventListener">
  >;
  addEventListener?.("online", listener);
  return () => removeEventListener?.("online", listener);
};

/**
 * Resolves after the longer one of two delays, when the signal is aborted, or when the browser is online again: then only the minimum is
 * waited for. @units milliseconds
 */
export const pauseBeforeReconnect = async (delayMs: number, minDelayMs: number, signal: AbortSignal): Promise<void> => {
  await delay(minDelayMs, signal).catch(() => undefined);
  const online = new AbortController();
  const stop = onOnline(() => online.abort());
  await delay(Math.max(0, delayMs - minDelayMs), AbortSignal.any([signal, online.signal])).catch(() => undefined);
  stop();
};

interface Agents {
  readonly httpAgent?: HttpAgent;
  readonly httpsAgent?: HttpsAgent;
}

/** Connection pools that keep connections alive, which saves a handshake per call. Browsers have their own. */
export const keepAliveAgents = (): Agents => {
  // Not imported, so that a bundler for browsers finds no module of Node.
  const { process } = globalThis as { process?: Partial<Pick<NodeJS.Process, "getBuiltinModule">> };
  const [http, https] = [process?.getBuiltinModule?.("node:http"), process?.getBuiltinModule?.("node:https")];
  if (!http || !https) return {};
  const options = { keepAlive: true };
  return { httpAgent: new http.Agent(options), httpsAgent: new https.Agent(options) };
};
