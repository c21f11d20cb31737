import { sessionsOf } from "../kernel/access.ts";
import Type, { type Static } from "typebox";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { LIMITS } from "./limits.ts";
import { pageQuery } from "./pagination.ts";
import { Link, ShortText, Url } from "./values.ts";

/** @assumed There is one provider; real clients use two names for it. */
export const OUTBOUND_PROVIDERS = ["chatapp", "whatsapp"] as const;

const Text = Type.String({ maxLength: LIMITS.text_characters });
const Handle = Type.Object({ phone_number: Type.String({ description: "E.164, with a leading +.", maxLength: 32 }) });
const Parameter = Type.Object({ data: Text });
const Parameters = Type.Array(Parameter, { maxItems: LIMITS.parts });

const Button = Type.Object({
  subType: Type.Optional(ShortText),
  params: Type.Optional(Parameters),
});

/** @spec Resources and their fields > Outbound message object */
export const MessageTemplate = Type.Object(
  {
    storage: Type.Optional(Type.Enum(["conversation", "none"])),
    template_name: ShortText,
    namespace: ShortText,
    language: Type.Object({ policy: Type.Optional(ShortText), code: ShortText }),
    template_data: Type.Optional(Parameters),
    rich_template_data: Type.Optional(
      Type.Object({
        header: Type.Optional(
          Type.Object({
            type: Type.Enum(["image", "video", "document", "text"]),
            media_url: Type.Optional(Url),
            params: Type.Optional(Parameters),
          }),
        ),
        body: Type.Optional(Type.Object({ params: Type.Optional(Parameters) })),
        button: Type.Optional(Type.Union([Button, Type.Array(Button, { maxItems: 10 })])),
      }),
    ),
  },
  { title: "MessageTemplate" },
);
export type MessageTemplate = Static<typeof MessageTemplate>;

/** @spec States and transitions > Other state sets */
export const OutboundStatus = Type.Enum(["Accepted", "Sent", "Delivered", "Failed"]);
export type OutboundStatus = Static<typeof OutboundStatus>;

const requestFields = {
  from: Handle,
  provider: ShortText,
  data: Type.Object({ message_template: MessageTemplate }),
};

/** @spec Resources and their fields > Outbound message object */
export const OutboundMessage = Type.Object(
  {
    message_id: Type.String(),
    request_id: Type.String(),
    ...requestFields,
    to: Type.Array(Handle, { description: "The one recipient of this message." }),
    status: OutboundStatus,
    failure_code: Type.Optional(Type.String()),
    failure_reason: Type.Optional(Type.String()),
    created_on: Type.Integer({ description: "Epoch milliseconds." }),
  },
  { title: "OutboundMessage" },
);
export type OutboundMessage = Static<typeof OutboundMessage>;

export const NewOutboundMessage = Type.Object(
  { ...requestFields, to: Type.Array(Handle, { minItems: 1, maxItems: LIMITS.outbound_recipients }) },
  { title: "NewOutboundMessage" },
);
export type NewOutboundMessage = Static<typeof NewOutboundMessage>;

/** @assumed The status token and the HTTP code. */
export const PROVIDER_NOT_FOUND = problem({
  code: 404,
  status: "PROVIDER_NOT_FOUND",
  message: `No such provider is registered: send to ${OUTBOUND_PROVIDERS.join(" or ")}.`,
});
/** The account has no approved template of this name, namespace and language, or had no such template less than 30 minutes ago. */
export const TEMPLATE_NOT_FOUND = problem({
  code: 400,
  status: "TEMPLATE_NOT_FOUND",
  message: "The account has no approved template of this name, namespace and language.",
});
/** The parameters don't match the template. The message names the position. @assumed */
export const TEMPLATE_MISMATCH = problem({
  code: 400,
  status: "TEMPLATE_MISMATCH",
  message: "The parameters do not fit the template.",
});

/** A status callback for a message that was not sent through this provider. @assumed */
export const OUTBOUND_MESSAGE_NOT_FOUND = problem({
  code: 404,
  status: "OUTBOUND_MESSAGE_NOT_FOUND",
  message: "This provider was given no such message.",
});

/**
 * Body of a provider's status callback, `POST /outbound-callbacks/{provider}`. The path has no version segment; the request is signed
 * with the Standard Webhooks headers.
 * @assumed The specification shows statuses and not how they are reported. A callback can name the service's message id or the provider's.
 */
export const OutboundCallback = Type.Object(
  {
    message_id: Type.Optional(ShortText),
    provider_message_id: Type.Optional(ShortText),
    status: Type.String({ description: "sent, delivered or failed; case-insensitive." }),
    failure_code: Type.Optional(ShortText),
    failure_reason: Type.Optional(ShortText),
  },
  { title: "OutboundCallback" },
);
export type OutboundCallback = Static<typeof OutboundCallback>;

export const outbound = {
  sendOutboundMessage: endpoint({
    route: "POST /outbound-messages/{provider}",
    summary: "Send a template message to people by their phone numbers",
    spec: "Endpoints > Outbound messages",
    access: { token: "outbound:create", session: sessionsOf("SUPER_USER", "all") },
    acceptsIdempotencyKey: true,
    body: NewOutboundMessage,
    reply: {
      code: 202,
      body: Type.Object({
        request_id: Type.String(),
        request_process_time: Type.String({ description: "Seconds." }),
        link: Link,
      }),
    },
    reportsSuccess: true,
    problems: [PROVIDER_NOT_FOUND, TEMPLATE_NOT_FOUND, TEMPLATE_MISMATCH],
  }),
  listOutboundMessages: endpoint({
    route: "GET /outbound-messages",
    summary: "List all outbound messages of one request, or a page of all requests, the newest first",
    spec: "Endpoints > Outbound messages",
    access: { token: "outbound:read", session: sessionsOf("SUPER_USER", "all") },
    query: Type.Object({
      request_id: Type.Optional(ShortText),
      /** @assumed The bound is a request and not a time, since requests can share a millisecond. */
      until: Type.Optional(
        Type.String({
          maxLength: LIMITS.short_text_characters,
          description: "From the link of a page of all requests: excludes requests newer than this one.",
        }),
      ),
      ...pageQuery,
    }),
    reply: {
      code: 200,
      body: Type.Object({
        outbound_messages: Type.Array(OutboundMessage),
        link: Type.Optional(Type.Object({ rel: Type.String(), href: Type.String() })),
      }),
    },
  }),
};
