import type { MessengerEventName } from "../../types/index.d.ts";
import { complain } from "./replies.ts";

type Handler = (payload: unknown) => unknown;

const EVENT_NAMES: Readonly<Record<MessengerEventName, true>> = {
  "widget:loaded": true,
  "widget:opened": true,
  "widget:closed": true,
  "widget:destroyed": true,
  "dialog:opened": true,
  "dialog:closed": true,
  "frame:statechange": true,
  "user:statechange": true,
  "user:created": true,
  "user:cleared": true,
  "user:authenticated": true,
  "message:sent": true,
  "message:received": true,
  "unreadCount:notify": true,
  "push:subscribed": true,
  "readReceipts:update": true,
  "csat:received": true,
  "csat:updated": true,
  "csat:show": true,
  "conversation:resolved": true,
  "anchorLink:clicked": true,
  "faq:clicked": true,
  "download:file": true,
  "rts:connected": true,
  "rts:disconnected": true,
};

type Handlers = Map<string, Set<Handler>>;

/** An error of one handler does not affect the others. */
const run = (handlers: Handlers, name: MessengerEventName, payload: unknown): void => {
  for (const handler of handlers.get(name) ?? []) {
    try {
      handler(payload);
    } catch (error) {
      console.error(error);
    }
  }
};

/** The page's handlers of events. A handler that is added twice to an event runs once. */
export const createEvents = () => {
  let handlers: Handlers = new Map();
  return {
    on: (name: unknown, handler: unknown): void => {
      if (typeof handler !== "function")
        return complain(`on(${JSON.stringify(name)}, …) needs a function as its handler.`);
      if (!Object.hasOwn(EVENT_NAMES, String(name)))
        complain(`There is no event ${JSON.stringify(name)}: its handler never runs.`);
      const key = String(name);
      handlers.set(key, (handlers.get(key) ?? new Set()).add(handler as Handler));
    },
    /** Removes a handler, and those of its name: pages remove a function that they define again. */
    off: (name: unknown, handler?: unknown): void => {
      if (typeof handler !== "function") return void handlers.delete(String(name));
      const registered = handlers.get(String(name));
      for (const each of registered ?? [])
        if (each === handler || (handler.name && each.name === handler.name)) registered?.delete(each);
    },
    emit: (name: MessengerEventName, payload?: unknown): void => run(handlers, name, payload),
    /** Removes all handlers. Those of `widget:destroyed`, also of the same task, run after it. */
    destroy(): void {
      const [removed, added]: [Handlers, Handlers] = [handlers, new Map()];
      handlers = added;
      setTimeout(() => {
        run(removed, "widget:destroyed", undefined);
      });
    },
  };
};
export type Events = ReturnType<typeof createEvents>;
