import type { AppFrames } from "./instances.ts";

/** The app's decision on an action of the agent. */
interface InterceptorVerdict {
  readonly ok: boolean;
  readonly message: string;
}

/** @units milliseconds */
const interceptorTimeoutMs = 10_000;
const ALLOWED: InterceptorVerdict = { ok: true, message: "" };

/**
 * Notifies the app before an action of the agent and waits for its intercepting handlers.
 * @assumed If an app does not decide within ten seconds, the action proceeds.
 */
export const createEventInterceptors = (instances: AppFrames) => {
  const waiting = new Map<number, (word: InterceptorVerdict) => void>();
  let asked = 0;

  const ask = (instance: ReturnType<AppFrames["all"]>[number], event: string, data: unknown) =>
    new Promise<InterceptorVerdict>((resolve) => {
      const id = (asked += 1);
      const timer = setTimeout(() => answer(id, ALLOWED), interceptorTimeoutMs);
      waiting.set(id, (word) => {
        clearTimeout(timer);
        resolve(word);
      });
      instance.tell({ t: "event", event, data, id });
    });
  const answer = (id: number, word: InterceptorVerdict) => {
    waiting.get(id)?.(word);
    waiting.delete(id);
  };

  return {
    answer,
    async before(event: string, data: unknown): Promise<InterceptorVerdict> {
      const words = instances.all().map(async (instance) => {
        const listens = instance.listens(event);
        if (listens?.intercept) return ask(instance, event, data);
        if (listens) instance.tell({ t: "event", event, data });
        return ALLOWED;
      });
      return (await Promise.all(words)).find(({ ok }) => !ok) ?? ALLOWED;
    },
  };
};
export type EventInterceptors = ReturnType<typeof createEventInterceptors>;
