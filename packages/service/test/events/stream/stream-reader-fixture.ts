import { request, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { ServiceEvent } from "@parley/contract";
import { framesOf, type Frame } from "../../../../client/src/event-stream.ts";

export interface StreamReaderOptions {
  readonly url: string;
  readonly token: string;
  /** `/v2/stream` when absent. */
  readonly path?: string;
  /** With its question mark. */
  readonly query?: string;
  readonly lastEventId?: string | undefined;
  readonly method?: string;
}

/** One connection that reads a stream over plain HTTP. */
export interface StreamReader {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Token and message of a refusal. */
  readonly refusal: { readonly status: string; readonly message: string } | undefined;
  readonly frames: readonly Frame[];
  /** Received events, without frames that contain only a position. */
  readonly events: readonly { readonly id: string; readonly event: string; readonly data: ServiceEvent }[];
  /** The position from which to continue. */
  readonly cursor: string | undefined;
  /** All received text. */
  readonly text: () => string;
  /** Stops reading. */
  pause(): void;
  /** Continues reading. */
  resume(): void;
  /** Resolves when the connection has ended, by either side. */
  readonly ended: Promise<void>;
  /** Resolves when the condition holds. @errors Error with the received text if it does not hold in time */
  until(holds: () => boolean): Promise<void>;
  disconnect(): void;
}

export async function openStreamReader({
  url,
  token,
  path = "/v2/stream",
  query = "",
  lastEventId,
  method = "GET",
}: StreamReaderOptions): Promise<StreamReader> {
  const headers = {
    ...(token !== "" && { authorization: `Bearer ${token}` }),
    ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
  };
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${url}${path}${query}`, { method, headers }, resolve).once("error", reject).end();
  });
  const frames: Frame[] = [];
  let text = "";
  let wake: (() => void) | undefined;
  let isOver = false;
  async function* chunks() {
    try {
      for await (const chunk of reply) {
        text += String(chunk);
        yield chunk as Buffer;
      }
    } catch {
      // Closed by one of the two sides.
    }
  }
  const read = async (): Promise<void> => {
    for await (const frame of framesOf(chunks())) {
      frames.push(frame);
      wake?.();
    }
    isOver = true;
    wake?.();
  };
  const ended = read();
  const status = reply.statusCode ?? 0;
  if (status !== 200) await ended;
  const self: StreamReader = {
    status,
    headers: reply.headers,
    refusal: status === 200 ? undefined : (JSON.parse(text) as StreamReader["refusal"]),
    frames,
    get events() {
      return frames
        .filter(({ data }) => data !== undefined)
        .map(({ id = "", event = "", data = "" }) => ({ id, event, data: JSON.parse(data) as ServiceEvent }));
    },
    get cursor() {
      return frames.findLast(({ id }) => id !== undefined)?.id;
    },
    text: () => text,
    pause: () => void reply.socket.pause(),
    resume: () => void reply.socket.resume(),
    ended,
    async until(holds) {
      const end = performance.now() + 10_000;
      while (!holds()) {
        const left = end - performance.now();
        if (left <= 0 || isOver) throw new Error(`${isOver ? "it ended" : "not in time"}: ${text.slice(-2_000)}`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
    disconnect: () => void reply.destroy(),
  };
  // The position is sent first: later events are received.
  if (status === 200 && method === "GET") await self.until(() => frames.length > 0);
  return self;
}

/** Clients of one service, which are closed at the end of a test. */
export const streamReaders = (of: () => Pick<StreamReaderOptions, "url" | "token">) => {
  const opened: StreamReader[] = [];
  return {
    open: async (options: Partial<StreamReaderOptions> = {}): Promise<StreamReader> => {
      const one = await openStreamReader({ ...of(), ...options });
      opened.push(one);
      return one;
    },
    closeAll: async (): Promise<void> => {
      for (const one of opened) one.disconnect();
      await Promise.all(opened.splice(0).map((one) => one.ended));
    },
  };
};
