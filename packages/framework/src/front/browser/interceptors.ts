import type { AppFrames } from "./instances.ts";

/** The app's decision on an action of the agent. */
interface InterceptorDecision {
  readonly ok: boolean;
  readonly message: string;
}

/** @units milliseconds */
const INTERCEPTOR_TIMEOUT_MS = 10_000;
const ALLOWED: InterceptorDecision = { ok: true, message: "" };

/**
 * Notifies the app before an action of the agent and waits for its intercepting handlers.
 * @assumed If an app does not decide within ten seconds, the action proceeds.
 */
export const createEventInterceptors = (instances: AppFrames) => {
  const pending = new Map<number, (decision: InterceptorDecision) => void>();
  let lastId = 0;

  const requestDecision = (instance: ReturnType<AppFrames["all"]>[number], event: string, data: unknown) =>
    new Promise<InterceptorDecision>((resolve) => {
      const id = (lastId += 1);
      const timer = setTimeout(() => decide(id, ALLOWED), INTERCEPTOR_TIMEOUT_MS);
      pending.set(id, (decision) => {
        clearTimeout(timer);
        resolve(decision);
      });
      instance.send({ t: "event", event, data, id });
    });
  const decide = (id: number, decision: InterceptorDecision) => {
    pending.get(id)?.(decision);
    pending.delete(id);
  };

  return {
    decide,
    async before(event: string, data: unknown): Promise<InterceptorDecision> {
      const decisions = instances.all().map(async (instance) => {
        const listens = instance.listens(event);
        if (listens?.intercept) return requestDecision(instance, event, data);
        if (listens) instance.send({ t: "event", event, data });
        return ALLOWED;
      });
      return (await Promise.all(decisions)).find(({ ok }) => !ok) ?? ALLOWED;
    },
  };
};
export type EventInterceptors = ReturnType<typeof createEventInterceptors>;

/** Reason for an app that gives no reason. */
export const STOPPED_MESSAGE = "The app stopped this.";
