import type { Presence } from "@parley/contract";
import type { Db } from "@parley/database";
import { failureText, type Log } from "@parley/telemetry";
import type { NotifyOwnChange } from "../../http/own-change.ts";
import type { NotifyPropertyChange } from "../../messaging/conversations/change.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { LogListener } from "../../base/log/notifications.sql.ts";
import { createBroadcast } from "./broadcast.ts";
import { createLocalStreams, type StreamOwner, type TabReport } from "./local-streams.ts";
import { createCustomerPresence, type CustomerPresence } from "./customer-presence.ts";
import { createConsoleNotices, type ConsoleNotice, type ConsoleNotices } from "./notices.ts";
import { createPresenceMap, type PresenceMap } from "./presence-map.ts";
import { createPeers } from "./peers.ts";
import { readStore } from "./reads.sql.ts";
import { AGENTS_PER_MESSAGE, decodedMessage, ENTRIES_PER_MESSAGE, type ReceivedMessage } from "./process-messages.ts";

/** Waits and bounds of presence. */
export interface PresenceRules {
  /** How long `typing` holds without another report. @units milliseconds */
  readonly typingMs: number;
  /** Tabs of one stream. A further tab replaces the tab that has reported least recently. */
  readonly tabsPerStream: number;
  /** Time between two announcements of a process that has streams. @units milliseconds */
  readonly announceMs: number;
  /** Time without a message after which a process counts as dead. @units milliseconds */
  readonly deadMs: number;
  /** How long another process may take to answer a report. @units milliseconds */
  readonly answerMs: number;
  /** How long a customer counts as online after the last stream has ended. @units milliseconds */
  readonly goneMs: number;
}

/** @assumed The numbers. `typing` ends 8 s after the last report; the presences of a process that died disappear within 30 s. */
export const PRESENCE_RULES: PresenceRules = {
  typingMs: 8_000,
  tabsPerStream: 32,
  announceMs: 9_000,
  deadMs: 28_000,
  answerMs: 2_000,
  goneMs: 10_000,
};

interface PresenceDeps {
  readonly db: Db;
  /** Its channel `live` calls `receive`, and each connect `connected`. */
  readonly listener: Pick<LogListener, "ensureConnected">;
  readonly ports: Pick<Ports, "random" | "now">;
  readonly rules: PresenceRules;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** A stream whose session reports presence. */
interface PresenceStream {
  readonly id: string;
  /** Ends its presence; may be called again. */
  close(): void;
}

/**
 * Which agents have which conversations open, over all processes. It is held in memory only: each process tells the others about its own
 * streams.
 */
export interface AgentPresence {
  openStream(owner: StreamOwner): PresenceStream;
  /** -> the agents of the conversation; undefined if the session has no such stream, in any process @errors those of connecting */
  report(streamId: string, credentialId: string, report: TabReport): Promise<readonly Presence[] | undefined>;
  readonly agents: Pick<PresenceMap, "agentsIn" | "conversationsOf" | "follow">;
  readonly notices: Pick<ConsoleNotices, "follow">;
  readonly customers: CustomerPresence;
  readonly notifyOwnChange: NotifyOwnChange;
  readonly notifyPropertyChange: NotifyPropertyChange;
  /** Receives the payload of a notification. */
  receive(payload: string): void;
  /** Notifications may have been missed. */
  connected(): void;
  /** Announces this process and drops dead processes, when it is time. Call it some times a second while streams are open. */
  step(): void;
  close(): Promise<void>;
}

/** @units bytes */
const PROCESS_ID_BYTES = 8;
const STREAM_ID_BYTES = 16;
const STREAM_ID = /^([0-9a-f]{16})-[0-9a-f]{32}$/;

export const createPresence = ({ db, listener, ports, rules, signal, log }: PresenceDeps): AgentPresence => {
  const secret = (bytes: number) => ports.random(bytes).toString("hex");
  const processId = secret(PROCESS_ID_BYTES);
  const broadcast = createBroadcast({ db, processId, signal, log });
  const agents = createPresenceMap();
  const notices = createConsoleNotices();
  const streams = createLocalStreams({
    rules,
    publish(place, state) {
      agents.set(processId, place, state);
      broadcast.send({ kind: "change", place, state });
      if (state) customers.agentReads(place.conversationId);
    },
  });
  const customers = createCustomerPresence({
    ...{ processId, agents, rules, store: readStore(db), now: ports.now },
    send: (message) => broadcast.send(message),
    failed: (error) => log(failureText(error), { level: "error", part: "presence" }),
  });
  const peers = createPeers({
    ...{ agents, deadMs: rules.deadMs, dropped: (id) => customers.drop(id) },
    ask: (to) => broadcast.send({ kind: "ask", to }),
  });
  /** Called with the answers to reports that were passed on, by request. */
  const requests = new Map<string, (found: readonly Presence[] | undefined) => void>();
  let nextAnnouncement = 0;

  const reportHere = (streamId: string, credentialId: string, report: TabReport) => {
    const owner = streams.report(streamId, credentialId, report);
    return owner && agents.agentsIn(owner.accountId, report.conversationId);
  };

  const reportElsewhere = async (to: string, streamId: string, credentialId: string, report: TabReport) => {
    await listener.ensureConnected();
    const request = secret(PROCESS_ID_BYTES);
    const answer = new Promise<readonly Presence[] | undefined>((resolve) => {
      const timer = setTimeout(resolve, rules.answerMs);
      requests.set(request, (found) => {
        clearTimeout(timer);
        resolve(found);
      });
    });
    broadcast.send({ kind: "report", to, request, streamId, credentialId, report });
    return answer.finally(() => requests.delete(request));
  };

  const sendEntries = (to: string): void => {
    const entries = agents.entriesOf(processId);
    for (let at = 0; at === 0 || at < entries.length; at += ENTRIES_PER_MESSAGE) {
      const part = entries.slice(at, at + ENTRIES_PER_MESSAGE);
      broadcast.send({ kind: "state", to, entries: part, isLast: at + ENTRIES_PER_MESSAGE >= entries.length });
    }
    customers.sendEntries(to);
  };

  const notify = (accountId: number, agentId: string | undefined, notice: ConsoleNotice): void => {
    notices.deliver(accountId, agentId, notice);
    broadcast.send({ kind: "notice", accountId, agentId, notice });
  };

  const take = ({ from, message }: ReceivedMessage): void => {
    if ("to" in message && message.to !== undefined && message.to !== processId) return;
    switch (message.kind) {
      case "change":
        return agents.set(from, message.place, message.state);
      case "state":
        return peers.state(from, message.entries, message.isLast);
      case "gone":
        return peers.drop(from);
      case "ask":
        return sendEntries(from);
      case "alive":
        return peers.check(from);
      case "report": {
        const { request, streamId, credentialId, report } = message;
        const found = reportHere(streamId, credentialId, report)?.slice(0, AGENTS_PER_MESSAGE);
        return broadcast.send({ kind: "reported", to: from, request, agents: found });
      }
      case "reported":
        return requests.get(message.request)?.(message.agents);
      case "notice":
        return notices.deliver(message.accountId, message.agentId, message.notice);
      default:
        return customers.take(from, message);
    }
  };

  return {
    agents,
    notices,
    customers,
    openStream(owner) {
      // Nobody has looked for dead processes while there were no streams.
      peers.dropDead();
      const id = `${processId}-${secret(STREAM_ID_BYTES)}`;
      streams.open(id, owner);
      return { id, close: () => streams.close(id) };
    },
    async report(streamId, credentialId, report) {
      const [, owner] = STREAM_ID.exec(streamId) ?? [];
      if (owner === undefined) return undefined;
      if (owner === processId) return reportHere(streamId, credentialId, report);
      return reportElsewhere(owner, streamId, credentialId, report);
    },
    notifyOwnChange: (accountId, agentId, data) => notify(accountId, agentId, { event: "own_change", data }),
    notifyPropertyChange: (accountId, conversation_id) =>
      notify(accountId, undefined, { event: "property_change", data: { conversation_id } }),
    receive(payload) {
      const received = decodedMessage(payload);
      if (received && received.from !== processId && peers.isNew(received)) take(received);
    },
    connected() {
      peers.missed();
      broadcast.send({ kind: "ask" });
    },
    step() {
      peers.dropDead();
      customers.step();
      if ((streams.isEmpty() && customers.isEmpty()) || performance.now() < nextAnnouncement) return;
      nextAnnouncement = performance.now() + rules.announceMs;
      broadcast.send({ kind: "alive" });
    },
    async close() {
      if (broadcast.hasSent()) broadcast.send({ kind: "gone" });
      await broadcast.flushed();
    },
  };
};
