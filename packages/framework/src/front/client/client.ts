import { entityStorage } from "../../model/entity-interface.ts";
import { connectToPage, type PageConnection } from "./page-connection.ts";

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
const createClientEvents = (connection: PageConnection) => {
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

/** The client script: what an app's page has as `app` and `client`. */

const requestOf = (connection: PageConnection) => {
  const callHost = (question: Record<string, unknown>) => connection.call({ t: "call", question });
  const verb =
    (method: string) =>
    (url: string, options: unknown = {}) =>
      callHost({ of: "request.fetch", method, url: String(url), options });
  return {
    invoke: (name: string, args: unknown = {}) => callHost({ of: "request.invoke", name: String(name), args }),
    invokeTemplate: (name: string, options: object = {}) =>
      callHost({ of: "request.invokeTemplate", name: String(name), options }),
    get: verb("get"),
    post: verb("post"),
    put: verb("put"),
    patch: verb("patch"),
    delete: verb("delete"),
  };
};

const recordsOf = (connection: PageConnection) => {
  const callHost = (question: Record<string, unknown>) => connection.call({ t: "call", question });
  return {
    get: (key: unknown) => callHost({ of: "db.get", key }),
    set: (key: unknown, value: unknown, options: unknown = {}) => callHost({ of: "db.set", key, value, options }),
    update: (key: unknown, action: unknown, attributes: unknown) =>
      callHost({ of: "db.update", key, action, attributes }),
    delete: (key: unknown) => callHost({ of: "db.delete", key }),
    entity: entityStorage(callHost),
  };
};

/** `invoke(name, tag, args)`; the tag is optional. */
const jobOf = (connection: PageConnection) => {
  const callHost = (question: Record<string, unknown>) => connection.call({ t: "call", question });
  return {
    invoke: (name: unknown, tag: unknown = "", args: unknown = {}) =>
      callHost({
        of: "job.invoke",
        name: name ?? null,
        ...(typeof tag === "object" ? { tag: "", args: tag } : { tag, args }),
      }),
    get: (id: unknown) => callHost({ of: "job.get", id: id ?? null }),
    history: () =>
      Promise.reject(Object.assign(new Error("client.job.history is not supported here"), { status: 501 })),
  };
};

const clientOf = (connection: PageConnection) => {
  const { events, receive } = createClientEvents(connection);
  const instance =
    (method: string) =>
    (options: unknown = {}) =>
      connection.call({ t: "instance", act: method, options });
  return {
    context: connection.context,
    data: { get: (name: string) => connection.call({ t: "call", question: { of: "data.get", name: String(name) } }) },
    iparams: {
      get: (key?: string) =>
        connection.call({
          t: "call",
          question: { of: "iparams.get", ...(key === undefined ? {} : { key: String(key) }) },
        }),
    },
    db: recordsOf(connection),
    request: requestOf(connection),
    job: jobOf(connection),
    interface: {
      trigger: (action: string, options: unknown = {}) =>
        connection.call({ t: "trigger", action: String(action), options }),
    },
    events,
    instance: {
      resize: instance("resize"),
      close: instance("close"),
      context: instance("context"),
      get: instance("get"),
      send: instance("send"),
      receive,
    },
  };
};

// The host puts the client before the page's scripts, and the page loads it by its own reference once more.
if (!("app" in globalThis)) {
  const ready = connectToPage().then(clientOf);
  ready.catch((failure: unknown) => console.warn("app.initialized:", failure));
  // Apps of the field call either: the second is the older name.
  Object.assign(globalThis, { app: { initialized: () => ready }, frsh_init: () => ready });
}
