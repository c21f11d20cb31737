import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parleyClient, type ParleyClient } from "@parley/client";
import {
  MESSENGER_API,
  type MessengerConversation,
  type MessengerSetting,
  type VisitorProfile,
  type VisitorSession,
} from "@parley/contract";
import { startParley, temporaryFolder, type RunningParley } from "../../../../test/support/parley-process.ts";
import { setMessenger } from "../support/account.ts";
import { signedIdentities, type SignedIdentities } from "../support/signed-identity.ts";

/** A response with its text, and its body where that is JSON. */
export interface Answer<Body = Readonly<Record<string, unknown>>> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

interface RequestOptions {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A form, or a value that is sent as JSON. */
  readonly body?: unknown;
}

/** An instance as `npm start` runs it, behind a proxy, so that attackers have addresses of their own. */
export interface AttackedInstance {
  readonly running: RunningParley;
  /** Origin of the service. */
  readonly origin: string;
  /** API client with the key of the demo account. */
  readonly client: ParleyClient;
  readonly adminKey: string;
  send<Body = Readonly<Record<string, unknown>>>(
    method: string,
    path: string,
    options?: RequestOptions,
  ): Promise<Answer<Body>>;
  /** Begins a session from an address of its own. */
  begin(options?: {
    readonly external_id?: string;
    readonly profile?: VisitorProfile;
    readonly account?: string;
  }): Promise<Visiting>;
  setMessenger(setting: MessengerSetting): Promise<void>;
  /** Adds a signing key to an account. */
  signedIdentities(account?: string): Promise<SignedIdentities>;
  close(): Promise<void>;
}

/** A visitor with a session. */
export interface Visiting extends VisitorSession {
  call<Body = Readonly<Record<string, unknown>>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer<Body>>;
  /** Begins a conversation of the first topic. */
  write(text: string): Promise<MessengerConversation>;
}

/** Parts of a message with one text. */
export const textMessage = (content: string) => ({ message_parts: [{ text: { content } }] });

let addresses = 0;
/** An address that no other request of this process has. */
export const newAddress = (): Readonly<Record<string, string>> => {
  addresses += 1;
  return { "x-forwarded-for": `10.1.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}` };
};

export const startAttackedInstance = async (): Promise<AttackedInstance> => {
  const data = await temporaryFolder();
  const running = await startParley(data.folder, { env: { PARLEY_TRUSTED_PROXIES: "127.0.0.1" } });
  const { origin } = new URL(running.service);
  const adminKey = (await readFile(join(data.folder, "admin-key"), "utf8")).trim();

  const send: AttackedInstance["send"] = async <Body>(
    method: string,
    path: string,
    { token, headers, body }: RequestOptions = {},
  ) => {
    const isForm = body instanceof FormData;
    const response = await fetch(origin + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && !isForm && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    return { status: response.status, headers: response.headers, text, body: (isJson ? JSON.parse(text) : {}) as Body };
  };

  const begin: AttackedInstance["begin"] = async (options = {}) => {
    const { status, text, body } = await send<VisitorSession>("POST", `${MESSENGER_API}/sessions`, {
      headers: newAddress(),
      body: { account: "acme", ...options },
    });
    if (status !== 201) throw new Error(`A session was refused: ${status} ${text}`);
    const call: Visiting["call"] = (method, path, sent, headers) =>
      send(method, MESSENGER_API + path, {
        token: body.token,
        ...(sent !== undefined && { body: sent }),
        ...(headers && { headers }),
      });
    return {
      ...body,
      call,
      async write(content) {
        const { topics } = (
          await send<{ topics: { id: string }[] }>("GET", `${MESSENGER_API}/configuration?account=acme`)
        ).body;
        const begun = await call<{ conversation: MessengerConversation }>("POST", "/conversations", {
          topic_id: topics[0]?.id ?? "",
          message: textMessage(content),
        });
        if (begun.status !== 201) throw new Error(`A conversation was refused: ${begun.status} ${begun.text}`);
        return begun.body.conversation;
      },
    };
  };

  return {
    running,
    origin,
    client: parleyClient({ url: running.service, token: running.token }),
    adminKey,
    send,
    begin,
    signedIdentities: (account) => signedIdentities(running.service, data.folder, account),
    setMessenger: (setting) => setMessenger(running.service, data.folder, setting),
    async close() {
      await running.stop();
      await data.remove();
    },
  };
};
