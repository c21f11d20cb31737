import type { FetchReply, InstallQuestion, RequestFailure, RequestReply } from "@parley/contract";
import { hostOf } from "../domain.ts";
import { noSuchIparam, secureIparam } from "../iparam-refusals.ts";
import type { Mirror } from "./frame-utils.ts";
import type { FromFrame, ToFrame } from "./messages.ts";

type Reply = RequestReply | FetchReply;

interface Waiting {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (failure: RequestFailure) => void;
}

/** The account's host, as the form names it at the moment. */
const hostIn = ({ known }: Mirror): string => {
  const field = known.fields.find(({ type, suffix }) => type === "domain" && suffix === undefined);
  const typed = field && known.values[field.key];
  if (!field) return known.domain;
  return typeof typed === "string" ? (hostOf(typed, known.domainSuffix) ?? "") : "";
};

const addressIn = (mirror: Mirror): string => {
  const host = hostIn(mirror);
  return host === "" ? "" : `https://${host}`;
};

const DATA: Readonly<Record<string, (mirror: Mirror) => unknown>> = {
  currentHost: (mirror) => ({
    subscribed_modules: mirror.known.modules,
    endpoint_urls: Object.fromEntries(mirror.known.products.map((product) => [product, addressIn(mirror)])),
  }),
  domainName: hostIn,
};

/** @assumed one value by its key stands in an object under that key, as public apps read it */
const storedValue = ({ known }: Mirror, key: string) => {
  const declared = known.fields.find((field) => field.key === key);
  if (declared?.secure || known.secure.includes(key)) throw new Error(secureIparam(key));
  if (!declared && !Object.hasOwn(known.stored, key)) throw new Error(noSuchIparam(key));
  return { [key]: known.stored[key] };
};

/** What `app.initialized()` resolves to on this page: requests, stored values, the account's address. */
export const clientOf = (mirror: Mirror, post: (message: FromFrame) => void) => {
  const waiting = new Map<number, Waiting>();
  let asked = 0;

  // The promise rejects with what the field's apps read: status and response, not an Error.
  const ask = (question: InstallQuestion): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const id = (asked += 1);
      waiting.set(id, { resolve, reject });
      post({ t: "ask", id, question });
    });
  const verb =
    (method: Extract<InstallQuestion, { method: unknown }>["method"]) =>
    async (url: string, options: object = {}) =>
      ask({ method, url: String(url), options });
  const [product = ""] = mirror.known.products;

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
      invokeTemplate: async (name: string, options: object = {}) => ask({ name: String(name), options }),
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
        const known = Object.keys(DATA).join(", ");
        throw new Error(`client.data.get: '${name}' is not there on this page; known are ${known}.`);
      },
    },
    iparams: {
      async get(key?: string) {
        return key === undefined ? { ...mirror.known.stored } : storedValue(mirror, key);
      },
    },
  };

  const replied = (message: Extract<ToFrame, { t: "reply" }>) => {
    const { resolve, reject } = waiting.get(message.id) ?? {};
    waiting.delete(message.id);
    if ("reply" in message) resolve?.(message.reply);
    else reject?.(message.failure);
  };

  return { client, replied };
};
