import type { IparamAttributes, FetchReply, InstallQuestion, RequestFailure, RequestReply } from "@parley/contract";
import { attributesFault } from "../../../model/iparams/attributes.ts";
import type { FormEntry } from "../../../model/iparams/validate-value.ts";
import type { CallbackFrameMessage, FormSnapshot, CallbackFrameRequest } from "./messages.ts";
import { domainHostOf } from "../../../model/iparams/domain.ts";
import { surroundingOrigin } from "../../../pages/browser/frame-origin.ts";
import { unknownIparamMessage, secureIparamMessage } from "../../../model/iparams/iparam-terms.ts";

/** Copy of the form for callbacks: the page replaces it at each change, and values that callbacks set are applied at once. */
export interface FormMirror {
  form: FormSnapshot;
}

const fieldOf = ({ form: known }: FormMirror, method: string, key: unknown) => {
  const field = known.fields.find((candidate) => candidate.key === key);
  if (!field) throw new Error(`utils.${method}: no installation parameter matches '${String(key)}'.`);
  return field;
};

/**
 * The global `utils`.
 * @assumed A number's value is the text that was typed; an unknown key is an error.
 * @spec Resources and their fields > App installation parameters (iparams)
 */
export const createFormUtils = (mirror: FormMirror, post: (message: CallbackFrameMessage) => void) => ({
  get(key: string): FormEntry {
    return mirror.form.values[fieldOf(mirror, "get", key).key] ?? "";
  },

  set(key: string, attributes: IparamAttributes): void {
    const field = fieldOf(mirror, "set", key);
    const fault = attributesFault(key, field, attributes);
    if (fault !== undefined) throw new Error(fault);
    if (attributes.value !== undefined) {
      const value = typeof attributes.value === "number" ? String(attributes.value) : attributes.value;
      mirror.form = { ...mirror.form, values: { ...mirror.form.values, [key]: value } };
    }
    post({ t: "set", key, attributes });
  },
});

/** The parent page of this frame. */
const page = window.parent;

export const postToPage = (message: CallbackFrameMessage): void => page.postMessage(message, surroundingOrigin());

/** Waits for the form's data. Later messages are passed to the function that `start` returns. */
export const listenToPage = (start: (form: FormSnapshot) => (message: CallbackFrameRequest) => void): void => {
  let receive: ((message: CallbackFrameRequest) => void) | undefined;
  window.addEventListener("message", ({ source, origin, data }: MessageEvent<CallbackFrameRequest>) => {
    if (source !== page || origin !== surroundingOrigin()) return;
    if (receive) receive(data);
    else if (data.t === "start") receive = start(data.formSnapshot);
  });
  postToPage({ t: "hello" });
};

export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Reports errors outside of any call to the page; the console shows them as well. */
export const reportUncaughtErrors = (): void => {
  const reportFault = (message: string) => postToPage({ t: "fault", message });
  window.addEventListener("error", ({ message }) => reportFault(message.replace(/^Uncaught /, "")));
  window.addEventListener("unhandledrejection", ({ reason }) => {
    const failed = reason as { response?: unknown } | null;
    reportFault(
      typeof failed === "object" && typeof failed?.response === "string" ? failed.response : errorMessage(reason),
    );
  });
};

/** Removes peer connections: no content security policy prevents them from sending typed values anywhere. */
export const removePeerConnections = (): void => {
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (/^(?:webkit)?RTC/.test(name)) Reflect.deleteProperty(globalThis, name);
  }
};

type Reply = RequestReply | FetchReply;

interface Waiting {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (failure: RequestFailure) => void;
}

/** The account's host, as the form names it at present. */
const hostIn = ({ form: known }: FormMirror): string => {
  const field = known.fields.find(({ type, suffix }) => type === "domain" && suffix === undefined);
  const typed = field && known.values[field.key];
  if (!field) return known.domain;
  return typeof typed === "string" ? (domainHostOf(typed, known.domainSuffix) ?? "") : "";
};

const addressIn = (mirror: FormMirror): string => {
  const host = hostIn(mirror);
  return host === "" ? "" : `https://${host}`;
};

const DATA: Readonly<Record<string, (mirror: FormMirror) => unknown>> = {
  currentHost: (mirror) => ({
    subscribed_modules: mirror.form.modules,
    endpoint_urls: Object.fromEntries(mirror.form.products.map((product) => [product, addressIn(mirror)])),
  }),
  domainName: hostIn,
};

/** @assumed a single value is returned in an object under its key, as public apps read it */
const storedValue = ({ form: known }: FormMirror, key: string) => {
  const declared = known.fields.find((field) => field.key === key);
  if (declared?.secure || known.secure.includes(key)) throw new Error(secureIparamMessage(key));
  if (!declared && !Object.hasOwn(known.stored, key)) throw new Error(unknownIparamMessage(key));
  return { [key]: known.stored[key] };
};

/** The client that `app.initialized()` resolves to on this page: requests, stored values, the account's address. */
export const createInstallClient = (mirror: FormMirror, post: (message: CallbackFrameMessage) => void) => {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;

  // The promise rejects with status and response, as the field's apps read failures, not with an Error.
  const callPage = (question: InstallQuestion): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const id = (lastId += 1);
      waiting.set(id, { resolve, reject });
      post({ t: "ask", id, question });
    });
  const verb =
    (method: Extract<InstallQuestion, { method: unknown }>["method"]) =>
    async (url: string, options: object = {}) =>
      callPage({ method, url: String(url), options });
  const [product = ""] = mirror.form.products;

  const client = {
    context: {
      product,
      productContext: {
        name: product,
        get url() {
          return addressIn(mirror);
        },
      },
    },
    request: {
      invokeTemplate: async (name: string, options: object = {}) => callPage({ name: String(name), options }),
      get: verb("get"),
      post: verb("post"),
      put: verb("put"),
      patch: verb("patch"),
      delete: verb("delete"),
    },
    data: {
      async get(name: string) {
        const read = Object.hasOwn(DATA, name) ? DATA[name] : undefined;
        if (read) return { [name]: read(mirror) };
        const names = Object.keys(DATA).join(", ");
        throw new Error(`client.data.get: '${name}' is not there on this page; known are ${names}.`);
      },
    },
    iparams: {
      async get(key?: string) {
        return key === undefined ? { ...mirror.form.stored } : storedValue(mirror, key);
      },
    },
  };

  const replied = (message: Extract<CallbackFrameRequest, { t: "reply" }>) => {
    const { resolve, reject } = waiting.get(message.id) ?? {};
    waiting.delete(message.id);
    if ("reply" in message) resolve?.(message.reply);
    else reject?.(message.failure);
  };

  return { client, replied };
};
