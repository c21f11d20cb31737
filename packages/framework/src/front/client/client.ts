import { entityStorage } from "../../values/entity-interface.ts";
import { createClientEvents } from "./events.ts";
import { connectToPage, type PageConnection } from "./page-connection.ts";

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
