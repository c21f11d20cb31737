import type { Agent as HttpAgent } from "node:http";
import type { Agent as HttpsAgent } from "node:https";
import { v4 } from "uuid";

/** Clock, randomness and connections of the client: the only module that depends on the environment, Node or a browser. */
export const now = (): number => Date.now();
/** Random number from 0 to 1. */
export const random = (): number => Math.random();
/** A unique idempotency key. */
export const newIdempotencyKey = (): string => v4();

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
  const options = { keepAlive: true };
  return { httpAgent: new (load("node:http").Agent)(options), httpsAgent: new (load("node:https").Agent)(options) };
