import type { PageConnection } from "./page-connection.ts";

interface AppEvent {
  readonly type: string;
  readonly data: unknown;
  readonly helper: {
    readonly getData: () => unknown;
    /** Allows the action to proceed. */
    readonly done: () => void;
    /** Stops the action, with a reason for the agent. */
    readonly fail: (reason?: unknown) => void;
  };
}
type Handler = (event: AppEvent) => unknown;

const eventOf = (
  type: string,
  data: unknown,
  word: (ok: boolean, message: string) => void = () => undefined,
): AppEvent => ({
  type,
  data,
  helper: {
    getData: () => data,
    done: () => word(true, ""),
    fail: (reason) => word(false, typeof reason === "string" ? reason : ""),
  },
});

/** An error of one handler does not affect the others; it is reported in the console. */
const run = async (handler: Handler, event: AppEvent) => {
  try {
    await handler(event);
  } catch (error) {
    console.error(error);
  }
};

const ACTIVATED = "app.activated";
const DEACTIVATED = "app.deactivated";

/**
 * `client.events` and `client.instance.receive`.
 * @assumed `app.activated` is delivered at once to a handler that is registered while the placeholder is open. Handlers may be registered for any
 * name; this page fires `app.activated`, `app.deactivated`, `conversation.onSendMessage` and `conversation.onResolveClick`.
 */
export const createClientEvents = (line: PageConnection) => {
  const handlers = new Map<string, { readonly handler: Handler; readonly intercept: boolean }[]>();
  const receivers = new Set<Handler>();
  let active = false;

  line.hear((message) => {
    if (message.t === "message") {
      const data = { message: message.message, sender: message.sender };
      return receivers.forEach((receiver) => void run(receiver, eventOf("instance.message", data)));
    }
    const { event, data, id } = message;
    if (event === ACTIVATED || event === DEACTIVATED) active = event === ACTIVATED;
    const here = handlers.get(event) ?? [];
    let left = here.filter(({ intercept }) => intercept).length;
    const word = (ok: boolean, text: string) => {
      left -= ok ? 1 : left;
      if (id !== undefined && (!ok || left === 0)) line.say({ t: "word", id, ok, message: text.slice(0, 1_000) });
    };
    if (id !== undefined && left === 0) line.say({ t: "word", id, ok: true, message: "" });
    for (const { handler, intercept } of here) {
      let spoken = false;
      const once = (ok: boolean, text: string) => {
        if (!spoken) word(ok, text);
        spoken = true;
      };
      void run(handler, eventOf(event, data, intercept ? once : undefined));
    }
  });

  const events = {
    on(event: string, handler: Handler, options: { readonly intercept?: boolean } = {}) {
      const name = String(event);
      const intercept = options.intercept === true;
      handlers.set(name, [...(handlers.get(name) ?? []), { handler, intercept }]);
      line.say({ t: "listen", event: name, intercept });
      if (name === ACTIVATED && active) void run(handler, eventOf(name, {}));
    },
    off(event: string, handler: Handler) {
      const rest = (handlers.get(String(event)) ?? []).filter((one) => one.handler !== handler);
      handlers.set(String(event), rest);
    },
  };
  return { events, receive: (receiver: Handler) => void receivers.add(receiver) };
};
