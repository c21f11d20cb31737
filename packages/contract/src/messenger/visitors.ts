import Type, { type Static } from "typebox";
import { LIMITS } from "../api/limits.ts";
import { NoContent, ShortText, Time } from "../api/values.ts";
import { SIGNED_IDENTITY_REQUIRED } from "../api/problems.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { MESSENGER_API, MESSENGER_SPEC, PageOfAccount } from "./messenger.ts";
import { MESSENGER_NOT_FOUND, ORIGIN_NOT_ALLOWED, RESTORE_REFUSED, VISITOR_BLOCKED } from "./problems.ts";

/**
 * The fields of a user that the page of a site can set. They are not verified: `login_status` stays false. Of a user whose identity the site has
 * signed a page can set the properties only.
 */
export const VisitorProfile = Type.Object(
  {
    first_name: Type.Optional(ShortText),
    last_name: Type.Optional(ShortText),
    email: Type.Optional(ShortText),
    phone: Type.Optional(ShortText),
    properties: Type.Optional(
      Type.Array(Type.Object({ name: ShortText, value: Type.String({ maxLength: LIMITS.text_characters }) }), {
        maxItems: LIMITS.properties,
      }),
    ),
  },
  { title: "VisitorProfile" },
);
export type VisitorProfile = Static<typeof VisitorProfile>;

const ExternalId = Type.String({ minLength: 1, maxLength: LIMITS.short_text_characters });
const RestoreId = Type.String({ minLength: 1, maxLength: 200 });

/** The user of a session, as the user itself sees it. */
export const Visitor = Type.Object(
  {
    user_id: Type.String(),
    created_time: Time,
    external_id: Type.Optional(Type.String()),
    restore_id: Type.String({
      description: "A secret: with the external_id it restores the conversations on another device.",
    }),
    is_name_generated: Type.Boolean({ description: "Whether the service chose the name of an anonymous user." }),
    ...VisitorProfile.properties,
  },
  { title: "Visitor" },
);
export type Visitor = Static<typeof Visitor>;

export const VisitorSession = Type.Object(
  {
    token: Type.String({ description: "Sent as `Authorization: Bearer`. It is shown once." }),
    expires_time: Time,
    /** Until when the session has the identity that the site signed. Absent without a signed identity. */
    signed_until: Type.Optional(Time),
    visitor: Visitor,
  },
  { title: "VisitorSession" },
);
export type VisitorSession = Static<typeof VisitorSession>;

/**
 * What became of a visitor who was identified:
 * - `kept`: no user had the external_id; the visitor has it now, with the conversations so far;
 * - `restored`: the restore_id is right; the session of the reply is that of the identified user;
 * - `separate`: another user has the external_id. The session has ended: the visitor begins a new user with the next message.
 */
export const IDENTIFICATIONS = ["kept", "restored", "separate"] as const;

export const visitors = {
  beginVisitorSession: endpoint({
    route: `POST ${MESSENGER_API}/sessions`,
    summary: "Begin a session as a new user, who has the external_id but no earlier conversation of it",
    spec: MESSENGER_SPEC,
    access: { isPublic: true },
    body: Type.Object(
      { ...PageOfAccount, external_id: Type.Optional(ExternalId), profile: Type.Optional(VisitorProfile) },
      { title: "NewVisitorSession" },
    ),
    reply: { code: 201, body: VisitorSession },
    problems: [MESSENGER_NOT_FOUND, ORIGIN_NOT_ALLOWED, SIGNED_IDENTITY_REQUIRED],
  }),
  restoreVisitorSession: endpoint({
    route: `POST ${MESSENGER_API}/sessions/restore`,
    summary: "Begin a session as an existing user, by external_id and restore_id",
    spec: MESSENGER_SPEC,
    access: { isPublic: true },
    body: Type.Object(
      { ...PageOfAccount, external_id: ExternalId, restore_id: RestoreId },
      { title: "VisitorRestore" },
    ),
    reply: { code: 201, body: VisitorSession },
    problems: [MESSENGER_NOT_FOUND, ORIGIN_NOT_ALLOWED, SIGNED_IDENTITY_REQUIRED, RESTORE_REFUSED, VISITOR_BLOCKED],
  }),
  endVisitorSession: endpoint({
    route: `DELETE ${MESSENGER_API}/session`,
    summary: "End the session",
    spec: MESSENGER_SPEC,
    access: { visitor: "session" },
    reply: { code: 204, body: NoContent },
  }),
  getVisitor: endpoint({
    route: `GET ${MESSENGER_API}/visitor`,
    summary: "Get the user of the session",
    spec: MESSENGER_SPEC,
    access: { visitor: "account" },
    reply: { code: 200, body: Visitor },
  }),
  updateVisitor: endpoint({
    route: `PUT ${MESSENGER_API}/visitor`,
    summary:
      "Change fields of the user of the session; properties that are not named keep their value. Of a user whose identity was signed only properties change",
    spec: MESSENGER_SPEC,
    access: { visitor: "account" },
    body: VisitorProfile,
    reply: { code: 200, body: Visitor },
    problems: [VISITOR_BLOCKED],
  }),
  identifyVisitor: endpoint({
    route: `POST ${MESSENGER_API}/visitor/identity`,
    summary: "Give the user of the session an external_id, or change to the user who has it",
    spec: MESSENGER_SPEC,
    access: { visitor: "account" },
    body: Type.Object({ external_id: ExternalId, restore_id: Type.Optional(RestoreId) }, { title: "VisitorIdentity" }),
    reply: {
      code: 200,
      body: Type.Object(
        {
          identification: Type.Enum([...IDENTIFICATIONS]),
          visitor: Type.Optional(Visitor),
          session: Type.Optional(VisitorSession),
        },
        { title: "VisitorIdentification" },
      ),
    },
    problems: [VISITOR_BLOCKED],
  }),
};
