import type { MessengerActor, MessengerStreamItem } from "@parley/contract";
import type { Log } from "@parley/telemetry";
import type { LogRow } from "../../base/log/store.ts";
import type { HandlerContext } from "../../http/route-handlers.ts";
import type { StreamedReply } from "../../http/streamed.ts";
import type { ConversationEventRow } from "../event-payload/store.ts";
import { isOfConversation } from "../event-payload/event-payload.ts";
import type { AgentPresence } from "../presence/presence.ts";
import { createSharedFrames, frameUnlessInvalid, loggedFrame, type EventFrame, type ReadEvent } from "./event-texts.ts";
import type { KeepAliveTimer } from "./keep-alive-timer.ts";
import { liveText } from "./live-text.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { StreamExtension, StreamReply } from "./stream-reply.ts";
import type { StreamRules } from "./stream-rules.ts";
import { createVisitorTexts } from "./visitor-texts.ts";

/** An item of a visitor's stream that an event of the log causes. */
export type LoggedMessengerItem = Extract<MessengerStreamItem, { readonly event: "message" | "conversation" }>;

/** Events and agents as visitors see them. */
export interface VisitorView {
  /** -> the items of an event of a visitor's conversation; none for an event that visitors don't see */
  readonly itemsOf: (event: ConversationEventRow) => Promise<readonly LoggedMessengerItem[]>;
  /** -> undefined for an unknown agent */
  readonly actorOf: (accountId: number, agentId: string) => Promise<MessengerActor | undefined>;
}

interface VisitorStreamsDeps {
  readonly reply: StreamReply;
  readonly open: Pick<OpenStreams, "enter">;
  readonly readEvent: ReadEvent;
  readonly presence: AgentPresence;
  readonly keepAlives: KeepAliveTimer;
  readonly resignUrls: (text: string, accountId: number) => string;
  readonly rules: Pick<StreamRules, "visitorKeepAliveMs" | "visitorSpan">;
  readonly log: Log;
}

interface VisitorStreamRequest {
  readonly accountId: number;
  /** Id of the session. */
  readonly credentialId: string;
  readonly userId: string;
  readonly request: Pick<HandlerContext["request"], "header">;
}

/** Kinds of events that a visitor may see something of. */
const KINDS: ReadonlySet<LogRow["kind"]> = new Set(["message_create", "conversation_create", "conversation_update"]);

/** Streams of the messenger: the events of the conversations of one user, as that user sees them. */
export const createVisitorStreams =
  ({ reply, open, readEvent, presence, keepAlives, resignUrls, rules, log }: VisitorStreamsDeps) =>
  ({ itemsOf, actorOf }: VisitorView) => {
    const sharedFrame = createSharedFrames();

    const createFrame = async (row: LogRow): Promise<EventFrame> => {
      const event = await readEvent(row.seq);
      if (!event || !isOfConversation(event) || event.user_id !== row.user_id) return undefined;
      return frameUnlessInvalid(async () => {
        const items = await itemsOf(event);
        const jsons = items.map(({ data }) => resignUrls(JSON.stringify(data), event.account_id));
        // The position is that after the whole event: only its last item has it.
        const texts = items.map(({ event: name }, index) =>
          index === items.length - 1
            ? loggedFrame(row, name, jsons[index] ?? "")
            : `event: ${name}\ndata: ${jsons[index]}\n\n`,
        );
        return texts.length === 0 ? undefined : texts.join("");
      }, log);
    };
    const frameOf = (row: LogRow) => sharedFrame(String(row.seq), () => createFrame(row));

    /** @errors INVALID_VALUE, TOO_MANY_STREAMS, SERVICE_UNAVAILABLE */
    return ({ accountId, credentialId, userId, request }: VisitorStreamRequest): Promise<StreamedReply> => {
      const extend = (): StreamExtension => {
        const texts = createVisitorTexts({ presence, actorOf }, accountId, userId);
        return {
          start: liveText("stream_start", { keep_alive_ms: rules.visitorKeepAliveMs }),
          texts,
          close: texts.close,
        };
      };
      return reply({
        ...{ accountId, request, extend, frameOf, keepAlives, span: rules.visitorSpan },
        enter: () => open.enter({ credentialId, userId }),
        subject: () => Promise.resolve({ userId }),
        isWanted: ({ kind }) => KINDS.has(kind),
      });
    };
  };
export type VisitorStreams = ReturnType<typeof createVisitorStreams>;
