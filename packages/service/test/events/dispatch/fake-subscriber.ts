import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { EventKind, ServiceEvent } from "@parley/contract";
import { waitUntil } from "../../../../../test/support/wait-until.ts";

/** One received request. */
interface ReceivedEvent {
  readonly event: ServiceEvent;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Requests in progress when it arrived, including itself. */
  readonly inProgress: number;
  /** Those of the same conversation or user. */
  readonly inProgressOfEntity: number;
}

/** Returns the status of the response, after any delay; undefined closes the connection. */
export type ReplyToEvent = (heard: ReceivedEvent, count: number) => number | undefined | Promise<number | undefined>;

/** A subscriber: a real HTTP server that records its requests. */
export interface FakeSubscriber {
  readonly url: string;
  readonly port: number;
  /** All requests, including those that were answered with a failure. */
  readonly received: readonly ReceivedEvent[];
  /** Events that were answered with 200, in the order of the responses. */
  readonly accepted: readonly ServiceEvent[];
  replyWith(reply: ReplyToEvent): void;
  /** Resolves when the condition holds. @errors Error with the received requests if it does not hold in time */
  until(holds: (startFakeSubscriber: FakeSubscriber) => boolean, ms?: number): Promise<void>;
  close(): Promise<void>;
}

/** Id of the conversation or user whose order the event belongs to. */
export const entityOf = ({ data }: ServiceEvent): string =>
  (data.message ?? data.conversation)?.conversation_id ?? data.user?.id ?? "";

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
};

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });

export async function receiver(first: ReplyToEvent = () => 200, at = 0): Promise<FakeSubscriber> {
  const received: ReceivedEvent[] = [];
  const accepted: ServiceEvent[] = [];
  let reply = first;
  const entities: string[] = [];

  const server = createServer((request, response) => {
    void (async () => {
      const body = await textOf(request);
      const event = JSON.parse(body) as ServiceEvent;
      const entity = entityOf(event);
      entities.push(entity);
      const inProgressOfEntity = entities.filter((each) => each === entity).length;
      const one = { event, headers: request.headers, body, inProgress: entities.length, inProgressOfEntity };
      received.push(one);
      const status = await reply(one, received.length);
      entities.splice(entities.indexOf(entity), 1);
      if (status === undefined) return request.socket.destroy();
      if (status === 200) accepted.push(one.event);
      response.writeHead(status).end();
    })();
  });
  const port = await listen(server, at);
  const self: FakeSubscriber = {
    url: `http://127.0.0.1:${port}/events`,
    port,
    received,
    accepted,
    replyWith: (next) => {
      reply = next;
    },
    async until(holds, ms = 90_000) {
      await waitUntil(() => holds(self), {
        details: () => `${received.length} requests received, ${accepted.length} events accepted`,
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

/** Filters by kind. */
export const ofKind = (events: readonly ServiceEvent[], kind: EventKind) =>
  events.filter((event) => event.kind === kind);

/** The text of a message event. */
export const messageTextOf = ({ data }: ServiceEvent): string | undefined =>
  data.message?.messages?.at(-1)?.message_parts[0]?.text?.content;
