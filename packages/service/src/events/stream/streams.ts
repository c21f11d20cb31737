import type { Database } from "@parley/database";
import { failureText, type Log } from "@parley/telemetry";
import type { Directory } from "../../messaging/directory/directory.ts";
import type { NotifyOwnChange } from "../../http/own-change.ts";
import type { NotifyPropertyChange } from "../../messaging/conversations/change.ts";
import { createFindConversationId } from "../../messaging/conversations/find.ts";
import type { AgentReach } from "../../messaging/conversations/reach.sql.ts";
import { conversationStore } from "../../messaging/conversations/store.ts";
import { SERVICE_SCHEMA } from "../../base/db/migrations.ts";
import { KEYED_PLANS } from "../../base/db/pools.ts";
import { sleep, createStopController } from "../../base/concurrency/wake-signal.ts";
import { logStore } from "../../base/log/store.ts";
import { payloadStore } from "../event-payload/store.ts";
import type { DispatchRules } from "../dispatch/index.ts";
import { createLogListener } from "../../base/log/notifications.sql.ts";
import { createLoopUtilization } from "../../base/concurrency/loop-utilization.ts";
import { runLoop } from "../../base/concurrency/run-loop.ts";
import type { MountRoutes } from "../../http/area-module.ts";
import type { ResourceRoutes } from "../../http/route-handlers.ts";
import { outboundEventMessages } from "../../messaging/outbound/outbound-message.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { CustomerPresence } from "../presence/customer-presence.ts";
import { createPresence } from "../presence/presence.ts";
import { createVisitorStreams, type VisitorStreams } from "./visitor-streams.ts";
import { createOpenStreams } from "./open-streams.ts";
import { createLogReader } from "./log-reader.ts";
import { liveRoutes, streamRoutes } from "./routes.ts";
import { createStreamPacing } from "./stream-pacing.ts";
import { createStreamReply } from "./stream-reply.ts";
import { STREAM_RULES, type StreamRules } from "./stream-rules.ts";
import { streamStore } from "./store.ts";
import { createKeepAliveTimer } from "./keep-alive-timer.ts";
import { createEventTexts, createReadEvent } from "./event-texts.ts";

interface StreamsOptions {
  readonly database: Database;
  readonly directory: Directory;
  /** Which conversations an agent reaches. */
  readonly reach: Pick<AgentReach, "conversations">;
  readonly ports: Ports;
  readonly feedRules: DispatchRules;
  readonly rules?: StreamRules | undefined;
  readonly resignUrls: (text: string, accountId: number) => string;
  readonly log: Log;
}

/** Streams of events. Nothing is read before the first stream is opened. */
interface Streams {
  readonly slice: ResourceRoutes;
  /** The stream of the console, and the presence of agents. */
  readonly consoleTable: ResourceRoutes;
  /** The streams of visitors. */
  readonly visitorStreams: VisitorStreams;
  /** Takes reports of visitors. */
  readonly customers: Pick<CustomerPresence, "reportTyping" | "reportRead" | "reportPage">;
  readonly notifyOwnChange: NotifyOwnChange;
  readonly notifyPropertyChange: NotifyPropertyChange;
  /** Ends the streams when the service stops taking requests. */
  readonly mount: MountRoutes;
  /** Events were committed. */
  wake(): void;
  close(): Promise<void>;
}

export const createStreams = (options: StreamsOptions): Streams => {
  const { database, directory, reach, ports, feedRules, rules = STREAM_RULES, resignUrls, log } = options;
  const pool = database.pool(SERVICE_SCHEMA, { max: 2, applicationName: "parley stream" });
  const keyed = database.pool(SERVICE_SCHEMA, { max: 2, applicationName: "parley stream", settings: KEYED_PLANS });
  const stop = createStopController();
  const { signal } = stop;
  const store = streamStore(pool);
  const pacing = createStreamPacing({
    rules: rules.pacing,
    utilization: createLoopUtilization(),
    now: () => performance.now(),
    after: (ms, run) => void setTimeout(run, ms),
  });
  const reading = createLogReader({ log: logStore({ keyed, other: pool }), store, rules, feedRules, pacing, signal });
  const readEvent = createReadEvent(payloadStore(keyed).read, rules.perProcess * rules.batch);
  const outboundMessage = outboundEventMessages(pool);
  const texts = createEventTexts({ readEvent, outboundMessage, directory, resignUrls, log });
  const open = createOpenStreams({ rules, liveCredentials: store.liveCredentials, now: ports.now });
  const openVisitors = createOpenStreams({
    rules: { ...rules.ofVisitors, retryAfter: rules.retryAfter },
    liveCredentials: store.liveVisitorSessions,
    now: ports.now,
  });
  const listener = createLogListener(() => database.connect(SERVICE_SCHEMA), {
    log: () => reading.notify(),
    live: (payload) => presence.receive(payload),
    connected: () => presence.connected(),
  });
  const presence = createPresence({ db: pool, listener, ports, rules: rules.presence, signal, log });

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
          if (!open.isEmpty() || !openVisitors.isEmpty() || !presence.customers.isEmpty()) {
            await listener.ensureConnected();
            presence.step();
            await Promise.all([open.check(), openVisitors.check()]);
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
    const line = failureText(error);
    if (line !== lastError && !signal.aborted) log(line, { level: "error", part: "stream" });
    lastError = line;
  };

  const endAll = (): void => {
    open.end();
    openVisitors.end();
  };
  const end = async (): Promise<void> => {
    stop.abort();
    endAll();
    reading.notify();
    await Promise.all(loops);
    await presence.close();
    await Promise.all([listener.close(), pool.end(), keyed.end()]);
  };
  const reply = createStreamReply({
    reading,
    pacing,
    store,
    rules,
    now: ports.now,
    retentionDays: feedRules.retentionDays,
    begin,
    failed,
  });
  const deps = { reply, open, texts, store, findId: createFindConversationId(conversationStore(pool)) };
  let closed: Promise<void> | undefined;
  return {
    slice: streamRoutes({ ...deps, keepAlives: createKeepAliveTimer(rules.keepAliveMs) }),
    consoleTable: liveRoutes({
      ...{ ...deps, presence, reach, rules },
      keepAlives: createKeepAliveTimer(rules.consoleKeepAliveMs),
    }),
    visitorStreams: createVisitorStreams({
      ...{ reply, open: openVisitors, readEvent, presence, resignUrls, rules, log },
      keepAlives: createKeepAliveTimer(rules.visitorKeepAliveMs),
    }),
    customers: {
      reportTyping(place, isTyping) {
        begin();
        presence.customers.reportTyping(place, isTyping);
      },
      reportRead: (place, messageId) => presence.customers.reportRead(place, messageId),
      reportPage: (place) => presence.customers.reportPage(place),
    },
    notifyOwnChange: presence.notifyOwnChange,
    notifyPropertyChange: presence.notifyPropertyChange,
    mount: (app) => void app.addHook("preClose", async () => Promise.resolve(endAll())),
    wake: () => reading.notify(),
    close: () => (closed ??= end()),
  };
};
