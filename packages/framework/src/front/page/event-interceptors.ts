import type { AppFrames } from "./instances.ts";

/** What the app says to an action of the agent. */
interface InterceptorVerdict {
  readonly ok: boolean;
  readonly message: string;
}

/** @units milliseconds */
const interceptorTimeoutMs = 10_000;
const GO_ON: InterceptorVerdict = { ok: true, message: "" };

/**
 * Tells the app of what an agent is about to do, and waits for those who want to have a say.
 * @assumed An app that says nothing in ten seconds lets the action go on.
 */
export const createEventInterceptors = (instances: AppFrames) => {
  const waiting = new Map<number, (word: InterceptorVerdict) => void>();
  let asked = 0;

  const ask = (instance: ReturnType<AppFrames["all"]>[number], event: string, data: unknown) =>
    new Promise<InterceptorVerdict>((resolve) => {
      const id = (asked += 1);
      const timer = setTimeout(() => answer(id, GO_ON), interceptorTimeoutMs);
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
        return GO_ON;
      });
      return (await Promise.all(words)).find(({ ok }) => !ok) ?? GO_ON;
    },
  };
};
export type EventInterceptors = ReturnType<typeof createEventInterceptors>;
