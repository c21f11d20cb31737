import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { waitUntil } from "../../../../../test/support/wait-until.ts";

/** One received delivery of a message. */
export interface ReceivedDelivery {
  readonly id: string;
  readonly conversation: string;
  readonly text: string;
  readonly retries: number;
}

/** The response of an endpoint; undefined: never. */
export type EndpointReply = number | { readonly status: number; readonly headers: Record<string, string> } | undefined;

/** A webhook's endpoint: a real HTTP server that records new messages. */
export interface FakeMessageEndpoint {
  readonly url: string;
  readonly deliveries: readonly ReceivedDelivery[];
  /** Deliveries that were answered with 200, in the order of the responses. */
  readonly accepted: readonly ReceivedDelivery[];
  /** Accepted texts of one conversation, or of all. */
  readonly acceptedTexts: (conversation?: string) => readonly string[];
  replyWith(next: (delivery: ReceivedDelivery) => EndpointReply | Promise<EndpointReply>): void;
  /** Resolves when the condition holds. @errors Error with the received deliveries if it does not hold in time */
  until(holds: (startFakeMessageEndpoint: FakeMessageEndpoint) => boolean, ms?: number): Promise<void>;
  close(): Promise<void>;
}

interface Body {
  readonly data: {
    readonly message: {
      readonly conversation_id: string;
      readonly message_parts: readonly { readonly text?: { readonly content: string } }[];
    };
  };
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
};

export async function endpoint(
  first: (delivery: ReceivedDelivery) => EndpointReply | Promise<EndpointReply> = () => 200,
): Promise<FakeMessageEndpoint> {
  const [deliveries, accepted]: [ReceivedDelivery[], ReceivedDelivery[]] = [[], []];
  let answer = first;
  const server = createServer((request, response) => {
    void (async () => {
      const { message } = (JSON.parse(await textOf(request)) as Body).data;
      const delivery = {
        id: String(request.headers["webhook-id"]),
        conversation: message.conversation_id,
        text: message.message_parts[0]?.text?.content ?? "",
        retries: Number(request.headers["x-retry-count"]),
      };
      deliveries.push(delivery);
      const reply = await answer(delivery);
      if (reply === undefined) return;
      if (reply === 200) accepted.push(delivery);
      const { status, headers } = typeof reply === "number" ? { status: reply, headers: {} } : reply;
      response.writeHead(status, headers).end();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const self: FakeMessageEndpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    deliveries,
    accepted,
    acceptedTexts: (conversation) =>
      accepted
        .filter((delivery) => (conversation ?? delivery.conversation) === delivery.conversation)
        .map(({ text }) => text),
    replyWith: (next) => {
      answer = next;
    },
    async until(holds, ms = 90_000) {
      await waitUntil(() => holds(self), {
        details: () => `${JSON.stringify(deliveries.slice(-20))}, accepted ${accepted.length}`,
        timeoutMs: ms,
      });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return self;
}
