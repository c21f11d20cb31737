import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { signWebhook, verifyWebhook } from "@parley/egress";
import type { ProviderMessage } from "../../src/outbound/provider.ts";

/** The response to the next request; "hang": none, until the connection is closed. */
export type Answer =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | "hang"
  | "break";

export interface FakeProvider {
  readonly url: string;
  readonly secret: string;
  /** Received requests, in order. */
  readonly tries: { readonly key: string; readonly isSigned: boolean; readonly message: ProviderMessage }[];
  /** Accepted messages by key: a second request with one key is the same message. */
  readonly taken: Map<string, ProviderMessage>;
  /** The next responses, before requests are accepted. */
  readonly answers: Answer[];
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
  const tries: FakeProvider["tries"] = [];
  const taken: FakeProvider["taken"] = new Map();
  const answers: Answer[] = [];
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const { headers } = request;
      const nowSeconds = now().getTime() / 1_000;
      const isSigned = verifyWebhook({ headers, body, secret: SECRET, nowSeconds });
      const key = String(headers["idempotency-key"]);
      const message = JSON.parse(body) as ProviderMessage;
      tries.push({ key, isSigned, message });
      const answer = answers.shift() ?? { status: 202 };
      if (answer === "hang") return;
      if (isSigned && (answer === "break" || answer.status < 300)) taken.set(key, message);
      // Accepted, but the response is lost.
      if (answer === "break") return void request.socket.destroy();
      const told = answer.body ?? JSON.stringify({ provider_message_id: `p-${key}` });
      response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers }).end(told);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  let calls = 0;
  return {
    url: `http://127.0.0.1:${port}/send?v=1`,
    secret: SECRET,
    tries,
    taken,
    answers,
    callback(given, at, secret = SECRET) {
      const body = typeof given === "string" ? given : JSON.stringify(given);
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
