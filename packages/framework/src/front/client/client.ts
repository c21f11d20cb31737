import { entityStorage } from "../../values/entity-interface.ts";
import { createClientEvents } from "./events.ts";
import { connectToPage, type PageConnection } from "./page-connection.ts";

/** The client script: what an app's page has as `app` and `client`. */

const requestOf = (line: PageConnection) => {
  const ask = (question: Record<string, unknown>) => line.ask({ t: "ask", question });
  const verb =
    (method: string) =>
    (url: string, options: unknown = {}) =>
      ask({ of: "request.fetch", method, url: String(url), options });
  return {
    invoke: (name: string, args: unknown = {}) => ask({ of: "request.invoke", name: String(name), args }),
    invokeTemplate: (name: string, options: object = {}) =>
      ask({ of: "request.invokeTemplate", name: String(name), options }),
    get: verb("get"),
    post: verb("post"),
    put: verb("put"),
    patch: verb("patch"),
    delete: verb("delete"),
  };
};

const recordsOf = (line: PageConnection) => {
  const ask = (question: Record<string, unknown>) => line.ask({ t: "ask", question });
  return {
    get: (key: unknown) => ask({ of: "db.get", key }),
    set: (key: unknown, value: unknown, options: unknown = {}) => ask({ of: "db.set", key, value, options }),
    update: (key: unknown, action: unknown, attributes: unknown) => ask({ of: "db.update", key, action, attributes }),
    delete: (key: unknown) => ask({ of: "db.delete", key }),
    entity: entityStorage(ask),
  };
};

/** `invoke(name, tag, args)`; the tag is optional. */
const jobOf = (line: PageConnection) => {
  const ask = (question: Record<string, unknown>) => line.ask({ t: "ask", question });
  return {
    invoke: (name: unknown, tag: unknown = "", args: unknown = {}) =>
      ask({
        of: "job.invoke",
        name: name ?? null,
        ...(typeof tag === "object" ? { tag: "", args: tag } : { tag, args }),
      }),
    get: (id: unknown) => ask({ of: "job.get", id: id ?? null }),
    history: () =>
      Promise.reject(Object.assign(new Error("client.job.history is not supported here"), { status: 501 })),
  };
};

const clientOf = (line: PageConnection) => {
  const { events, receive } = createClientEvents(line);
  const instance =
    (act: string) =>
    (options: unknown = {}) =>
      line.ask({ t: "instance", act, options });
  return {
    context: line.context,
    data: { get: (name: string) => line.ask({ t: "ask", question: { of: "data.get", name: String(name) } }) },
    iparams: {
      get: (key?: string) =>
        line.ask({ t: "ask", question: { of: "iparams.get", ...(key === undefined ? {} : { key: String(key) }) } }),
    },
    db: recordsOf(line),
    request: requestOf(line),
    job: jobOf(line),
    interface: {
      trigger: (action: string, options: unknown = {}) => line.ask({ t: "trigger", action: String(action), options }),
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
