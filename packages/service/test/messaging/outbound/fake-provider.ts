import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { signWebhook, verifyWebhook } from "@parley/egress";
import type { ProviderMessage } from "../../../src/messaging/outbound/provider.ts";

/** The response to the next request; "hang": none, until the connection is closed. */
export type ProviderReply =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | "hang"
  | "break";

export interface FakeProvider {
  readonly url: string;
  readonly secret: string;
  /** Received requests, in order. */
  readonly requests: { readonly key: string; readonly isSigned: boolean; readonly message: ProviderMessage }[];
  /** Accepted messages by key: a second request with one key is the same message. */
  readonly accepted: Map<string, ProviderMessage>;
  /** The next responses, before requests are accepted. */
  readonly replies: ProviderReply[];
  /** Headers and body of a callback with the provider's signature. */
  callback(body: unknown, at: Date, secret?: string): { headers: Record<string, string>; body: string };
  close(): Promise<void>;
}

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

const read = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/** A provider: a real server that verifies requests. */
export async function startFakeProvider(now: () => Date): Promise<FakeProvider> {
  const requests: FakeProvider["requests"] = [];
  const accepted: FakeProvider["accepted"] = new Map();
  const replies: ProviderReply[] = [];
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const { headers } = request;
      const nowSeconds = now().getTime() / 1_000;
      const isSigned = verifyWebhook({ headers, body, secret: SECRET, nowSeconds });
      const key = String(headers["idempotency-key"]);
      const message = JSON.parse(body) as ProviderMessage;
      requests.push({ key, isSigned, message });
      const reply = replies.shift() ?? { status: 202 };
      if (reply === "hang") return;
      if (isSigned && (reply === "break" || reply.status < 300)) accepted.set(key, message);
      // Accepted, but the response is lost.
      if (reply === "break") return void request.socket.destroy();
      const replyBody = reply.body ?? JSON.stringify({ provider_message_id: `p-${key}` });
      response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers }).end(replyBody);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  let calls = 0;
  return {
    url: `http://127.0.0.1:${port}/send?v=1`,
    secret: SECRET,
    requests,
    accepted,
    replies,
    callback(input, at, secret = SECRET) {
      const body = typeof input === "string" ? input : JSON.stringify(input);
      const timestampSeconds = Math.floor(at.getTime() / 1_000);
      calls += 1;
      return {
        headers: {
          "content-type": "application/json",
          ...signWebhook({ id: `call-${calls}`, timestampSeconds, body, secret }),
        },
        body,
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
