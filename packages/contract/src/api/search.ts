import Type, { type Static } from "typebox";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { Conversation } from "./conversations.ts";
import { Message } from "./messages.ts";
import { User } from "./users.ts";

export const SEARCH_KINDS = ["messages", "users", "conversations"] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** @units results of a kind */
export const SEARCH_PAGE_SIZE = { default: 20, max: 50 } as const;

/** Text around a match, in pieces: those with `is_match` were searched for. Never HTML. */
export const SearchHighlight = Type.Array(
  Type.Object({ text: Type.String(), is_match: Type.Optional(Type.Literal(true)) }),
  { title: "SearchHighlight" },
);
export type SearchHighlight = Static<typeof SearchHighlight>;

const found = <K extends string>(kind: K) => `${kind} that contain the words, the newest first`;

export const SearchResults = Type.Object(
  {
    messages: Type.Optional(
      Type.Array(Type.Object({ message: Message, highlight: SearchHighlight }), { description: found("Messages") }),
    ),
    users: Type.Optional(
      Type.Array(Type.Object({ user: User, highlight: SearchHighlight }), {
        description: "Users whose name, e-mail address, phone number or reference contains the words.",
      }),
    ),
    conversations: Type.Optional(
      Type.Array(
        Type.Object({
          conversation: Conversation,
          highlight: SearchHighlight,
        }),
        { description: "Conversations whose number or properties contain the words, and those of the found users." },
      ),
    ),
    partial: Type.Optional(
      Type.Array(Type.Enum([...SEARCH_KINDS]), {
        description:
          "Kinds whose search ended at its time limit: objects that are older than the returned objects may match.",
      }),
    ),
    next: Type.Optional(Type.String({ description: "Cursor of the next page; only if `kinds` names a single kind." })),
  },
  { title: "SearchResults" },
);
export type SearchResults = Static<typeof SearchResults>;

export const search = {
  search: endpoint({
    route: "GET /search",
    summary: "Search messages, users and conversations for words (beyond the specification)",
    spec: "Endpoints > Conversations",
    access: { token: null, session: sessionsOf("AGENT", "some") },
    query: Type.Object({
      q: Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Words that must all occur, the last one also as a beginning; "quoted words" follow each other, -word must not occur.',
      }),
      kinds: Type.Optional(
        Type.String({
          maxLength: 40,
          description: `Comma-separated: ${SEARCH_KINDS.join(", ")}. When absent, all that the caller may read. Each kind needs its read permission.`,
        }),
      ),
      channel_id: Type.Optional(Type.String({ maxLength: 64 })),
      conversation_id: Type.Optional(
        Type.String({ maxLength: 64, description: "Only messages of this conversation." }),
      ),
      from_time: Type.Optional(Type.String({ format: "date-time", description: "Inclusive, on created_time." })),
      to_time: Type.Optional(Type.String({ format: "date-time", description: "Exclusive, on created_time." })),
      cursor: Type.Optional(Type.String({ maxLength: 512 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: SEARCH_PAGE_SIZE.max })),
    }),
    reply: { code: 200, body: SearchResults },
  }),
};
