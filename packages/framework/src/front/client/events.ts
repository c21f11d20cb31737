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
  decide: (ok: boolean, message: string) => void = () => undefined,
): AppEvent => ({
  type,
  data,
  helper: {
    getData: () => data,
    done: () => decide(true, ""),
    fail: (reason) => decide(false, typeof reason === "string" ? reason : ""),
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
export const createClientEvents = (connection: PageConnection) => {
  const handlers = new Map<string, { readonly handler: Handler; readonly intercept: boolean }[]>();
  const receivers = new Set<Handler>();
  let active = false;

  connection.onMessage((message) => {
    if (message.t === "message") {
      const data = { message: message.message, sender: message.sender };
      return receivers.forEach((receiver) => void run(receiver, eventOf("instance.message", data)));
    }
    const { event, data, id } = message;
    if (event === ACTIVATED || event === DEACTIVATED) active = event === ACTIVATED;
    const registered = handlers.get(event) ?? [];
    let undecided = registered.filter(({ intercept }) => intercept).length;
    const sendDecision = (ok: boolean, text: string) => {
      undecided -= ok ? 1 : undecided;
      if (id !== undefined && (!ok || undecided === 0))
        connection.send({ t: "decision", id, ok, message: text.slice(0, 1_000) });
    };
    if (id !== undefined && undecided === 0) connection.send({ t: "decision", id, ok: true, message: "" });
    for (const { handler, intercept } of registered) {
      let isDecided = false;
      const decideOnce = (ok: boolean, text: string) => {
        if (!isDecided) sendDecision(ok, text);
        isDecided = true;
      };
      void run(handler, eventOf(event, data, intercept ? decideOnce : undefined));
    }
  });

  const events = {
    on(event: string, handler: Handler, options: { readonly intercept?: boolean } = {}) {
      const name = String(event);
      const intercept = options.intercept === true;
      handlers.set(name, [...(handlers.get(name) ?? []), { handler, intercept }]);
      connection.send({ t: "listen", event: name, intercept });
      if (name === ACTIVATED && active) void run(handler, eventOf(name, {}));
    },
    off(event: string, handler: Handler) {
      const remaining = (handlers.get(String(event)) ?? []).filter((registration) => registration.handler !== handler);
      handlers.set(String(event), remaining);
    },
  };
  return { events, receive: (receiver: Handler) => void receivers.add(receiver) };
};
