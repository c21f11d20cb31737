import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { WebhookEvent } from "@parley/contract";
import { waitUntil } from "../../../../../test/support/wait-until.ts";

/** One received request, with its bytes. */
export interface ReceivedWebhook {
  readonly bytes: Buffer;
  readonly headers: IncomingHttpHeaders;
  readonly event: WebhookEvent;
}

/** The response: a status, or a status with headers and a body. */
type ReceiverReply = number | readonly [status: number, headers: Readonly<Record<string, string>>, body?: string];
type MakeReply = (post: ReceivedWebhook, count: number) => ReceiverReply | Promise<ReceiverReply>;

/** A real HTTP server that records what it receives. */
export interface FakeWebhookReceiver {
  readonly url: string;
  readonly received: readonly ReceivedWebhook[];
  /** Sets the responses from now on. */
  replyWith(reply: MakeReply): void;
  /** Resolves when this number of requests has arrived. @errors Error with the received requests if they do not arrive in time */
  until(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startFakeWebhookReceiver(): Promise<FakeWebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  let reply: MakeReply = () => 204;
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const bytes = Buffer.concat(chunks);
      const post = { bytes, headers: request.headers, event: JSON.parse(bytes.toString()) as WebhookEvent };
      received.push(post);
      const answered = await reply(post, received.length);
      const [status, headers, body] = typeof answered === "number" ? [answered, {}] : answered;
      response.writeHead(status, headers).end(body);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    replyWith: (next) => void (reply = next),
    async until(count) {
      await waitUntil(() => received.length >= count, {
        details: () => `${received.length} of ${count}: ${received.map(({ event }) => event.action).join(", ")}`,
      });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
