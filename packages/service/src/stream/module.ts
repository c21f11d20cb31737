import type { Database } from "@parley/database";
import type { Directory } from "../directory/directory.ts";
import { createFindConversationId } from "../conversations/find.ts";
import { conversationStore } from "../conversations/store.ts";
import { SERVICE_SCHEMA } from "../db/migrations.ts";
import { sleep, createStopController } from "../concurrency/wake-signal.ts";
import { logStore } from "../log/store.ts";
import { payloadStore } from "../event-payload/store.ts";
import type { DispatchRules } from "../dispatch/index.ts";
import { createLogListener } from "../log/notifications.sql.ts";
import { firstLineOf, runLoop } from "../concurrency/run-loop.ts";
import type { MountRoutes } from "../edge/http-server.ts";
import type { ResourceRoutes } from "../http/route-handlers.ts";
import { outboundEventMessages } from "../outbound/outbound-message.ts";
import type { Ports } from "../environment/ports.ts";
import { createOpenStreams } from "./open-streams.ts";
import { createLogReader } from "./log-reader.ts";
import { streamRoutes } from "./routes.ts";
import { STREAM_RULES, type StreamRules } from "./stream-rules.ts";
import { streamStore } from "./store.ts";
import { createEventTexts } from "./event-texts.ts";

interface StreamModuleOptions {
  readonly database: Database;
  readonly directory: Directory;
  readonly ports: Ports;
  readonly feedRules: DispatchRules;
  readonly rules?: StreamRules | undefined;
  readonly resignUrls: (text: string, accountId: number) => string;
  readonly log: (line: string) => void;
}

/** Streams of events. Nothing is read or connected before the first stream is opened. */
interface StreamModule {
  readonly slice: ResourceRoutes;
  /** Ends the streams when the service stops taking requests. */
  readonly mount: MountRoutes;
  /** Events were committed. */
  wake(): void;
  close(): Promise<void>;
}

export const createStreamModule = (options: StreamModuleOptions): StreamModule => {
  const { database, directory, ports, feedRules, rules = STREAM_RULES, resignUrls, log } = options;
  const pool = database.pool(SERVICE_SCHEMA, { max: 2, applicationName: "parley stream" });
  const stop = createStopController();
  const { signal } = stop;
  const store = streamStore(pool);
  const reading = createLogReader({ log: logStore(pool), store, rules, feedRules, signal });
  const maxPending = rules.perProcess * rules.batch;
  const texts = createEventTexts({
    read: payloadStore(pool).read,
    outboundMessage: outboundEventMessages(pool),
    directory,
    resignUrls,
    maxPending,
    log,
  });
  const open = createOpenStreams({ rules, liveCredentials: store.liveCredentials, now: ports.now });
  const listener = createLogListener(() => database.connect(SERVICE_SCHEMA), {
    log: () => reading.notify(),
    control: () => undefined,
  });

  const running = { signal, log };
  let loops: readonly Promise<void>[] = [];
  let lastError: string | undefined;
  const begin = () => {
    if (loops.length > 0 || signal.aborted) return;
    loops = [
      runLoop("reading the log for streams", () => reading.step(), running),
      runLoop(
        "looking after streams",
        async () => {
          if (!open.isEmpty()) {
            await listener.ensureConnected();
            await open.check();
            lastError = undefined;
          }
          await sleep(rules.checkMs, signal);
        },
        running,
      ),
    ];
  };
  /** Many streams fail for one reason at the same time: it is logged once. */
  const failed = (error: unknown) => {
    const line = firstLineOf(error);
    if (line !== lastError && !signal.aborted) log(`stream: ${line}`);
    lastError = line;
  };

  const end = async (): Promise<void> => {
    stop.abort();
    open.end();
    reading.notify();
    await Promise.all(loops);
    await Promise.all([listener.close(), pool.end()]);
  };
  let closed: Promise<void> | undefined;
  return {
    slice: streamRoutes({
      open,
      reading,
      texts,
      store,
      findId: createFindConversationId(conversationStore(pool)),
      rules,
      now: ports.now,
      retentionDays: feedRules.retentionDays,
      begin,
      failed,
    }),
    mount: (app) => void app.addHook("preClose", async () => Promise.resolve(open.end())),
    wake: () => reading.notify(),
    close: () => (closed ??= end()),
  };
};
