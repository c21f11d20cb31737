import type { Database } from "@parley/database";
import type { Directory } from "../accounts/directory.ts";
import { findingIds } from "../conversations/finding.ts";
import { conversationStore } from "../conversations/store.ts";
import { SCHEMA } from "../db/migrations.ts";
import { pause, stopper } from "../events/bell.ts";
import { logStore } from "../events/db/log.ts";
import { payloadStore } from "../events/db/payload.ts";
import type { DispatchRules } from "../events/index.ts";
import { listening } from "../events/listening.ts";
import { lineOf, loop } from "../events/loop.ts";
import type { Mount } from "../http/edge.ts";
import type { Slice } from "../http/slice.ts";
import { toldMessages } from "../outbound/told.ts";
import type { Ports } from "../ports.ts";
import { openStreams } from "./open.ts";
import { reading as openReading } from "./reading.ts";
import { streamSlice } from "./routes.ts";
import { STREAM_RULES, type StreamRules } from "./rules.ts";
import { streamStore } from "./store.ts";
import { texts as openTexts } from "./texts.ts";

export interface StreamPartOptions {
  readonly database: Database;
  readonly directory: Directory;
  readonly ports: Ports;
  readonly feedRules: DispatchRules;
  readonly rules?: StreamRules | undefined;
  readonly fresh: (text: string, accountId: number) => string;
  readonly log: (line: string) => void;
}

/** Streams of events: nothing is read or connected before the first one is opened. */
export interface StreamPart {
  readonly slice: Slice;
  /** Ends the streams when the service takes no more requests. */
  readonly mount: Mount;
  /** Something was committed. */
  wake(): void;
  close(): Promise<void>;
}

export const streamPart = (options: StreamPartOptions): StreamPart => {
  const { database, directory, ports, feedRules, rules = STREAM_RULES, fresh, log } = options;
  const pool = database.pool(SCHEMA, { max: 2, applicationName: "parley stream" });
  const stop = stopper();
  const { signal } = stop;
  const store = streamStore(pool);
  const reading = openReading({ log: logStore(pool), store, rules, feedRules, signal });
  const most = rules.perProcess * rules.batch;
  const texts = openTexts({
    read: payloadStore(pool).read,
    outboundMessage: toldMessages(pool),
    directory,
    fresh,
    most,
    log,
  });
  const open = openStreams({ rules, liveTokens: store.liveTokens, now: ports.now });
  const ears = listening(() => database.connect(SCHEMA), { log: () => reading.ring(), control: () => undefined });

  const running = { signal, log };
  let loops: readonly Promise<void>[] = [];
  let said: string | undefined;
  const begin = () => {
    if (loops.length > 0 || signal.aborted) return;
    loops = [
      loop("reading the log for streams", () => reading.step(), running),
      loop(
        "looking after streams",
        async () => {
          if (!open.isEmpty()) {
            await ears.step();
            await open.check();
            said = undefined;
          }
          await pause(rules.checkMs, signal);
        },
        running,
      ),
    ];
  };
  /** Many streams fail of one cause together. */
  const failed = (error: unknown) => {
    const line = lineOf(error);
    if (line !== said && !signal.aborted) log(`stream: ${line}`);
    said = line;
  };

  const end = async (): Promise<void> => {
    stop.abort();
    open.end();
    reading.ring();
    await Promise.all(loops);
    await Promise.all([ears.close(), pool.end()]);
  };
  let closed: Promise<void> | undefined;
  return {
    slice: streamSlice({
      open,
      reading,
      texts,
      store,
      findId: findingIds(conversationStore(pool)),
      rules,
      now: ports.now,
      keptDays: feedRules.keptDays,
      begin,
      failed,
    }),
    mount: (app) => void app.addHook("preClose", async () => Promise.resolve(open.end())),
    wake: () => reading.ring(),
    close: () => (closed ??= end()),
  };
};
