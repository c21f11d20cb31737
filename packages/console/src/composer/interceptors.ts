import type { MessagePart } from "@parley/contract";

/** The message that the agent is about to send. */
interface SendIntent {
  readonly conversationId: string;
  readonly text: string;
  readonly parts: readonly MessagePart[];
  readonly isPrivate: boolean;
}

/** The conversation that the agent is about to resolve. */
interface ResolveIntent {
  readonly conversationId: string;
}

interface Intents {
  readonly send: SendIntent;
  readonly resolve: ResolveIntent;
}

/** -> why the action is refused; undefined allows it */
type Interceptor<K extends keyof Intents> = (intent: Intents[K]) => Promise<string | undefined>;

const registered: { readonly [K in keyof Intents]: Set<Interceptor<K>> } = { send: new Set(), resolve: new Set() };

/** Asks the function before each action of the kind. -> the function that ends it */
export const intercept = <K extends keyof Intents>(kind: K, interceptor: Interceptor<K>): (() => void) => {
  const all: Set<Interceptor<K>> = registered[kind];
  all.add(interceptor);
  return () => void all.delete(interceptor);
};

/**
 * Asks all interceptors of the kind at once. -> the first reason against the action, in the order of registration; undefined without a reason.
 * An interceptor that fails allows the action: a broken app must not keep agents from answering.
 */
export const interceptorRefusal = async <K extends keyof Intents>(
  kind: K,
  intent: Intents[K],
): Promise<string | undefined> => {
  const all: Set<Interceptor<K>> = registered[kind];
  const decisions = await Promise.all([...all].map((ask) => ask(intent).catch(() => undefined)));
  return decisions.find((reason) => reason !== undefined);
};
