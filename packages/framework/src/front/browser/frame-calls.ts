import type { FrontContext } from "@parley/contract";
import { FrameRefusal, type AppInstanceFrame } from "./instances.ts";
import type { EventInterceptors } from "./interceptors.ts";
import type { AppFrameMessage } from "./messages.ts";
import type { FrontServer } from "./server.ts";

/** Maximum number of the app's pending calls; a working page has fewer. */
const PENDING_CALLS_MAX = 100;

interface FrameCallsDeps {
  readonly server: Pick<FrontServer, "call">;
  /** Context of the page at present. */
  readonly context: () => FrontContext;
  readonly interceptors: Pick<EventInterceptors, "decide">;
  readonly triggerAction: (action: string, options: unknown, instance: AppInstanceFrame) => Promise<unknown>;
  readonly callInstanceAction: (act: string, options: unknown, instance: AppInstanceFrame) => Promise<unknown>;
}

/** Creates the function that answers the messages of the app's frames: by the host, or by the page. */
export const createFrameCalls = (deps: FrameCallsDeps) => {
  let pendingCalls = 0;

  /** @errors FrameRefusal if too many calls are pending */
  const counted = async <T>(call: () => Promise<T>): Promise<T> => {
    if (pendingCalls >= PENDING_CALLS_MAX)
      throw new FrameRefusal(`${PENDING_CALLS_MAX} questions of the app wait for an answer: it must wait too.`, 429);
    pendingCalls += 1;
    return call().finally(() => (pendingCalls -= 1));
  };

  return async (instance: AppInstanceFrame, message: AppFrameMessage): Promise<void> => {
    if (message.t === "listen") return;
    if (message.t === "decision") return deps.interceptors.decide(message.id, message);
    const { id } = message;
    try {
      if (message.t === "call") {
        const { question } = message;
        const answer = await counted(() => deps.server.call({ question, ...deps.context() }));
        return instance.send({ t: "reply", id, ...answer });
      }
      const value = await (message.t === "trigger"
        ? deps.triggerAction(message.action, message.options, instance)
        : deps.callInstanceAction(message.act, message.options, instance));
      instance.send({ t: "reply", id, value });
    } catch (error) {
      if (!(error instanceof FrameRefusal)) console.error(error);
      const failure = error instanceof FrameRefusal ? error.failure : { status: 500, message: String(error) };
      instance.send({ t: "reply", id, failure });
    }
  };
};
