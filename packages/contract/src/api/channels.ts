import { sessionsOf } from "../kernel/access.ts";
import Type, { type Static } from "typebox";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { scalarFieldsOf } from "../kernel/shape.ts";
import { MessageType } from "./messages.ts";
import { MessagePart } from "./message-parts.ts";
import { listQuery, pageOf } from "./pagination.ts";
import { Avatar, NumberText, Time } from "./values.ts";

/** A topic. @spec Resources and their fields > Channel (topic) object */
export const Channel = Type.Object(
  {
    id: Type.String(),
    updated_time: Time,
    name: Type.String(),
    freshchat_channel_id: NumberText("The channel's number, as messages name it."),
    /** @assumed `FRESHCHAT`, the web messenger: no other kind of channel can be configured. */
    source: Type.String(),
    icon: Avatar,
    enabled: Type.Boolean(),
    public: Type.Boolean(),
    tags: Type.Array(Type.String()),
    welcome_message: Type.Optional(
      Type.Object({
        message_parts: Type.Array(MessagePart),
        message_type: MessageType,
        /** @assumed Always false, like the two fields below: a bot sends no welcome message. Public clients require all three fields. */
        restrictResponse: Type.Optional(Type.Boolean()),
        botsPrivateNote: Type.Optional(Type.Boolean()),
        isBotsInput: Type.Optional(Type.Boolean()),
      }),
    ),
    locale: Type.Optional(Type.String({ description: "Only when the locale parameter is given." })),
  },
  { title: "Channel" },
);
export type Channel = Static<typeof Channel>;

/** Values of sort_by: without the fields that are not stored. */
export const CHANNEL_SORT_FIELDS = scalarFieldsOf(Channel, "freshchat_channel_id", "source");
export type ChannelSortField = (typeof CHANNEL_SORT_FIELDS)[number];

export const CHANNEL_NOT_FOUND = problem({ code: 404, status: "CHANNEL_NOT_FOUND", message: "channel not found" });

export const channels = {
  listChannels: endpoint({
    route: "GET /channels",
    summary: "List the channels (topics) in the account's primary language, or in the given locale",
    spec: "Endpoints > Groups, channels, roles",
    access: { token: "channel:read", session: sessionsOf("AGENT", "account") },
    query: Type.Object({
      locale: Type.Optional(
        Type.String({
          minLength: 2,
          maxLength: 35,
          description: "ISO 639 code; a topic without texts for its region, as in de-DE, has those of the language.",
        }),
      ),
      ...listQuery(...CHANNEL_SORT_FIELDS),
    }),
    reply: { code: 200, body: pageOf("channels", Channel) },
  }),
};
