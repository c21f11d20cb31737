import {
  FORBIDDEN,
  INVALID_VALUE,
  refuse,
  STREAM_PERMISSIONS,
  type Actor,
  type Associations,
  type ConversationInEvent,
  type EventInStream,
  type Permission,
  type StreamEventKind,
} from "@parley/contract";

/** A position of the log that stays valid after a restart: the position and the signature of the event there. */
export interface StreamCursor {
  readonly seq: number;
  /** Distinguishes the event from another one at the same position after the log was restored or removed. */
  readonly sign: string;
}

/** Signature for a position without an event that is known to be kept as long as those after it. */
export const STREAM_START = "0".repeat(8);

/** The end of an event's id, which is random. */
export const cursorSignature = (eventId: string): string => eventId.slice(-STREAM_START.length);

/** The form that readers keep and send back; its content is opaque to them. */
export const cursorText = ({ seq, sign }: StreamCursor): string => `${seq.toString(36)}-${sign}`;

/** -> undefined for text that is no cursor */
export const cursorOf = (text: string): StreamCursor | undefined => {
  const [, position = "", sign = ""] = /^([0-9a-z]{1,11})-([0-9a-f]{8})$/.exec(text) ?? [];
  const seq = Number.parseInt(position, 36);
  return Number.isSafeInteger(seq) ? { seq, sign } : undefined;
};

/** The events, and the parts of them, that a token may read. */
export interface StreamAccess {
  /** Equal for tokens that receive the same text of an event. */
  readonly key: string;
  readonly kinds: ReadonlySet<string>;
  /** -> the event without the parts that the token may not read */
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
    return refuse(FORBIDDEN, `The access token has none of the permissions ${needed}: it would hear nothing.`);
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

/** @errors INVALID_VALUE, FORBIDDEN */
export const streamAccessOf = (permissions: ReadonlySet<Permission>, types: string | undefined): StreamAccess => {
  const may: May = (permission) => permissions.has(permission);
  const kinds = new Set<string>(kindsOf(types, may));
  const read = ["conversation:read", "message:read", ...Object.values(NAMED)] as const;
  return {
    key: read.filter(may).join(" "),
    kinds,
    trimmed: ({ data, ...event }) => {
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
