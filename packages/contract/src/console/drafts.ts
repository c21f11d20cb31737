import Type, { type Static } from "typebox";
import { CONVERSATION_NOT_FOUND } from "../api/conversation-problems.ts";
import { LIMITS } from "../api/limits.ts";
import { INVALID_MESSAGE_PARTS } from "../api/messages.ts";
import { MessagePart } from "../api/message-parts.ts";
import { StatusBody, Time } from "../api/values.ts";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { CONSOLE_API, SPEC_OF_CONSOLE } from "./inbox.ts";

const draftFields = {
  text: Type.String({ maxLength: LIMITS.text_characters }),
  is_private: Type.Boolean({ description: "It is going to be a private note." }),
  parts: Type.Array(MessagePart, { maxItems: LIMITS.parts, description: "Attachments: image, video and file." }),
};

/** A message that an agent has begun to write. In a conversation an agent has a draft of a reply and one of a private note, on all devices. */
export const Draft = Type.Object(
  { conversation_id: Type.String(), ...draftFields, updated_time: Time },
  { title: "Draft" },
);
export type Draft = Static<typeof Draft>;

export const NewDraft = Type.Object(
  {
    ...draftFields,
    based_on: Type.Optional(
      Type.Union([Time, Type.Literal("")], {
        description:
          "updated_time of the stored draft that the text was made from, empty if no draft was stored: a draft that was stored since then is not replaced. Absent: any draft is replaced.",
      }),
    ),
  },
  { title: "NewDraft" },
);
export type NewDraft = Static<typeof NewDraft>;

export const DRAFT_CHANGED = problem({
  code: 409,
  status: "DRAFT_CHANGED",
  message: "The draft was changed elsewhere meanwhile: list the drafts, and save it with the new updated_time.",
});

const reached = { session: sessionsOf("AGENT", "conversation") };

export const drafts = {
  listDrafts: endpoint({
    route: `GET ${CONSOLE_API}/drafts`,
    summary: "List the agent's own drafts, the newest first",
    spec: SPEC_OF_CONSOLE,
    access: { session: sessionsOf("AGENT", "some") },
    reply: { code: 200, body: Type.Object({ drafts: Type.Array(Draft) }) },
  }),
  saveDraft: endpoint({
    route: `PUT ${CONSOLE_API}/conversations/{conversation_id}/draft`,
    summary: "Save the agent's draft of a reply or a note in a conversation; one without text and parts is deleted",
    spec: SPEC_OF_CONSOLE,
    access: reached,
    body: NewDraft,
    reply: { code: 200, body: Draft },
    problems: [CONVERSATION_NOT_FOUND, DRAFT_CHANGED, INVALID_MESSAGE_PARTS],
  }),
  deleteDraft: endpoint({
    route: `DELETE ${CONSOLE_API}/conversations/{conversation_id}/draft`,
    summary: "Delete the agent's drafts in a conversation, if there are any",
    spec: SPEC_OF_CONSOLE,
    access: reached,
    reply: { code: 200, body: StatusBody },
    problems: [CONVERSATION_NOT_FOUND],
  }),
};
