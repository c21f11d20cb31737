import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { EventKind, ServiceEvent } from "@parley/contract";

/** What one request brought. */
export interface Heard {
  readonly event: ServiceEvent;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Requests under way when it arrived, itself included. */
  readonly underWay: number;
  /** Those of the same conversation or user among them. */
  readonly ofEntity: number;
}

/** What a receiver does with an event: waits and answers as it is told; undefined breaks the connection. */
export type Answer = (heard: Heard, count: number) => number | undefined | Promise<number | undefined>;

/** A subscriber: a real HTTP server that remembers what it hears. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  /** All requests, those answered with a failure too. */
  readonly heard: readonly Heard[];
  /** Events that were answered with 200, in the order of the answers. */
  readonly taken: readonly ServiceEvent[];
  answer(answer: Answer): void;
  /** Resolves when the condition holds. @errors Error with what was heard, when it does not within the time */
  until(holds: (receiver: Receiver) => boolean, ms?: number): Promise<void>;
  close(): Promise<void>;
}

/** Whose order an event is in: a conversation's, or a user's. */
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

export async function receiver(first: Answer = () => 200, at = 0): Promise<Receiver> {
  const heard: Heard[] = [];
  const taken: ServiceEvent[] = [];
  let answer = first;
  const underWay: string[] = [];

  const server = createServer((request, response) => {
    void (async () => {
      const body = await textOf(request);
      const event = JSON.parse(body) as ServiceEvent;
      const entity = entityOf(event);
      underWay.push(entity);
      const ofEntity = underWay.filter((each) => each === entity).length;
      const one = { event, headers: request.headers, body, underWay: underWay.length, ofEntity };
      heard.push(one);
      const status = await answer(one, heard.length);
      underWay.splice(underWay.indexOf(entity), 1);
      if (status === undefined) return request.socket.destroy();
      if (status === 200) taken.push(one.event);
      response.writeHead(status).end();
    })();
  });
  const port = await listen(server, at);
  const self: Receiver = {
    url: `http://127.0.0.1:${port}/events`,
    port,
    heard,
    taken,
    answer: (next) => {
      answer = next;
    },
    async until(holds, ms = 10_000) {
      const end = performance.now() + ms;
      while (!holds(self)) {
        if (performance.now() > end)
          throw new Error(`not within ${ms} ms: ${heard.length} requests heard, ${taken.length} events taken`);
        await setTimeout(5);
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return self;
}

/** Those of one kind. */
export const ofKind = (events: readonly ServiceEvent[], kind: EventKind) =>
  events.filter((event) => event.kind === kind);

/** The text that a message event says. */
export const said = ({ data }: ServiceEvent): string | undefined =>
  data.message?.messages?.at(-1)?.message_parts[0]?.text?.content;
