import type { RequestFailure, RequestReply } from "@parley/contract";
import type { Mirror } from "./frame-utils.ts";
import type { FromFrame, ToFrame } from "./messages.ts";

interface Waiting {
  readonly resolve: (reply: RequestReply) => void;
  readonly reject: (failure: RequestFailure) => void;
}

const currentHost = ({ known }: Mirror) => {
  const domain = known.fields.find(({ type }) => type === "domain");
  const host = domain ? known.values[domain.key] : undefined;
  const address = typeof host === "string" && host !== "" ? `https://${host}` : "";
  return {
    subscribed_modules: known.modules,
    endpoint_urls: Object.fromEntries(known.products.map((product) => [product, address])),
  };
};

/** @assumed one value by its key is the value itself */
const storedValue = ({ known }: Mirror, key: string) => {
  const field = known.fields.find((candidate) => candidate.key === key);
  if (!field) throw new Error(`No installation parameter matches the key '${key}'.`);
  if (field.secure) throw new Error(`The installation parameter '${key}' is secure: only the request method reads it.`);
  return known.stored[key];
};

/** What `app.initialized()` resolves to on this page: requests, stored values, the account's address. */
export const clientOf = (mirror: Mirror, post: (message: FromFrame) => void) => {
  const waiting = new Map<number, Waiting>();
  let asked = 0;

  const client = {
    context: { product: mirror.known.products[0] },
    request: {
      async invokeTemplate(name: string, options: object = {}): Promise<RequestReply> {
        const id = (asked += 1);
        // The promise rejects with what the field's apps read: status and response, not an Error.
        return new Promise((resolve, reject) => {
          waiting.set(id, { resolve, reject });
          post({ t: "ask", id, name: String(name), options });
        });
      },
    },
    data: {
      async get(name: string) {
        if (name !== "currentHost") throw new Error(`client.data.get: '${name}' is not there on this page.`);
        return { currentHost: currentHost(mirror) };
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
