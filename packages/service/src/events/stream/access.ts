import {
  FORBIDDEN,
  INVALID_VALUE,
  refuse,
  STREAM_PERMISSIONS,
  type Actor,
  type Associations,
  type Changes,
  type ConversationInEvent,
  type EventInStream,
  type Permission,
  type StreamEventKind,
} from "@parley/contract";
import { reachesAssignment, type ReachingAgent } from "../../messaging/conversations/reach.sql.ts";
import type { ApiCaller } from "../../http/route-handlers.ts";

/** A position of the log that stays valid after a restart: the position and the signature of the event there. */
export interface StreamCursor {
  readonly seq: number;
  /** Distinguishes the event from another event at the same position after the log was restored or removed. */
  readonly sign: string;
}

/** Signature for a position without an event that is known to be kept as long as those after it. */
export const STREAM_START = "0".repeat(8);

/** The end of an event's id, which is random. */
export const cursorSignature = (eventId: string): string => eventId.slice(-STREAM_START.length);

/** The form that readers keep and send back; its content is opaque to them. */
export const cursorText = ({ seq, sign }: StreamCursor): string => `${seq.toString(36)}-${sign}`;

/** -> undefined for text that is not a cursor */
export const parseStreamCursor = (text: string): StreamCursor | undefined => {
  const [, position = "", sign = ""] = /^([0-9a-z]{1,11})-([0-9a-f]{8})$/.exec(text) ?? [];
  const seq = Number.parseInt(position, 36);
  return Number.isSafeInteger(seq) ? { seq, sign } : undefined;
};

/** The events, and the parts of them, that a token may read. */
export interface StreamAccess {
  /** Equal for tokens that receive the same text of an event. */
  readonly key: string;
  readonly kinds: ReadonlySet<string>;
  /** -> the event without the parts that the token may not read; undefined for an event outside of the scope of a session's agent */
  readonly trimmed: (event: EventInStream) => unknown;
}

type May = (permission: Permission) => boolean;

const KINDS = Object.keys(STREAM_PERMISSIONS) as StreamEventKind[];
const isKind = (name: string): name is StreamEventKind => Object.hasOwn(STREAM_PERMISSIONS, name);

/** Members of an event whose resources have permissions of their own. */
const NAMED = {
  channel: "channel:read",
  user: "user:read",
  group: "group:read",
  agent: "agent:read",
} as const satisfies Readonly<Record<keyof Associations, Permission>>;

const actorFor = (actor: Actor, may: May): Actor => {
  const { type, sub_type, id } = actor;
  const isHidden = (type === "user" && !may(NAMED.user)) || (type === "agent" && !may(NAMED.agent));
  return isHidden ? { type, ...(sub_type !== undefined && { sub_type }), id } : actor;
};

const associationsFor = (associations: Associations, may: May): Associations =>
  Object.fromEntries(Object.entries(associations).filter(([name]) => may(NAMED[name as keyof Associations])));

/** Ids only, for a token that may not read conversations. */
const conversationFor = ({ messages, ...conversation }: ConversationInEvent, may: May) => {
  const { conversation_id, channel_id, interaction_id, user_id } = conversation;
  return {
    ...(may("conversation:read") ? conversation : { conversation_id, channel_id, interaction_id, user_id }),
    ...(messages && may("message:read") && { messages }),
  };
};

/** Without `types`: all kinds that the token may read. @errors INVALID_VALUE, FORBIDDEN */
const kindsOf = (types: string | undefined, may: May): readonly StreamEventKind[] => {
  if (types === undefined) {
    const readable = KINDS.filter((kind) => may(STREAM_PERMISSIONS[kind]));
    if (readable.length > 0) return readable;
    const needed = [...new Set(Object.values(STREAM_PERMISSIONS))].join(", ");
    return refuse(FORBIDDEN, `The access token has no permission among ${needed}: it would receive no events.`);
  }
  const requested = types.split(",").map((name) => name.trim());
  return requested.map((kind) => {
    if (!isKind(kind)) return refuse(INVALID_VALUE, `types must be some of ${KINDS.join(", ")}, with commas between`);
    if (may(STREAM_PERMISSIONS[kind])) return kind;
    return refuse(
      FORBIDDEN,
      `The access token does not have the permission ${STREAM_PERMISSIONS[kind]}, which ${kind} needs.`,
    );
  });
};

/** Values of a member before and after an event. */
const valuesOf = (changes: Changes | undefined, name: string, present: string | undefined): (string | null)[] => {
  const [before] = changes?.model_changes?.[name] ?? [];
  return [present ?? null, ...(typeof before === "string" ? [before] : [])];
};

/**
 * Whether an agent reaches the conversation of an event, before it or after it: an agent is told that a conversation was assigned elsewhere.
 * Events without a conversation are for the scope Global.
 */
const isReached = ({ data }: EventInStream, agent: ReachingAgent): boolean => {
  if (agent.scope === "Global") return true;
  const conversation = data.conversation ?? data.message;
  if (!conversation) return false;
  const agentIds = valuesOf(data.changes, "assigned_agent_id", conversation.assigned_agent_id);
  const groupIds = valuesOf(data.changes, "assigned_group_id", conversation.assigned_group_id);
  return agentIds.some((agentId) => groupIds.some((groupId) => reachesAssignment(agent, { agentId, groupId })));
};

/** Differs if the agent has another role or reaches other conversations; null for a token. */
export const accessFingerprint = (agent: (ReachingAgent & { readonly role_id: string }) | undefined): string | null =>
  agent ? [agent.role_id, agent.scope, ...agent.groups].join(" ") : null;

/** @shape agent: that of a session @errors INVALID_VALUE, FORBIDDEN */
export const streamAccessOf = (
  { permissions, agent }: Pick<ApiCaller, "permissions" | "agent">,
  types: string | undefined,
): StreamAccess => {
  const may: May = (permission) => permissions.has(permission);
  const kinds = new Set<string>(kindsOf(types, may));
  const read = ["conversation:read", "message:read", ...Object.values(NAMED)] as const;
  return {
    key: `${read.filter(may).join(" ")}${agent && agent.scope !== "Global" ? ` ${JSON.stringify(agent)}` : ""}`,
    kinds,
    trimmed: (whole) => {
      if (agent && !isReached(whole, agent)) return undefined;
      const { data, ...event } = whole;
      const { actor, associations, conversation, message, ...rest } = data;
      return {
        ...event,
        data: {
          ...rest,
          actor: actorFor(actor, may),
          associations: associationsFor(associations, may),
          ...(conversation && { conversation: conversationFor(conversation, may) }),
          ...(message && { message: conversationFor(message, may) }),
        },
      };
    },
  };
};
