import Type, { type Static } from "typebox";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { CONVERSATION_NOT_FOUND } from "./conversation-problems.ts";
import { KEPT_ANSWER_REMOVED } from "./idempotency.ts";
import { LIMITS } from "./limits.ts";
import { CONFLICT } from "./problems.ts";
import { USER_NOT_FOUND } from "./users.ts";

const writableFields = {
  issue_resolved: Type.Boolean(),
  rating: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
  additional_feedback: Type.Optional(Type.String({ maxLength: LIMITS.text_characters })),
  reopen_conversation: Type.Optional(Type.Boolean()),
};

/** A customer's rating of a conversation. @spec Resources and their fields > CSAT object */
export const Csat = Type.Object(
  {
    csat_response_id: Type.Integer(),
    created: Type.Integer({ description: "Epoch milliseconds." }),
    interaction_id: Type.String(),
    conversation_id: Type.String(),
    csat_attributer_id: Type.Optional(
      Type.Integer({ description: "Internal id of the agent that the conversation was assigned to at resolution." }),
    ),
    app_id: Type.Integer(),
    ...writableFields,
  },
  { title: "Csat" },
);
export type Csat = Static<typeof Csat>;

/** `rating` is mandatory when the issue is resolved. @spec Endpoints > CSAT */
export const NewCsat = Type.Object(writableFields, { title: "NewCsat" });
export type NewCsat = Static<typeof NewCsat>;

/** @assumed The status token. The specification itself says that the rating can't be reopened. */
export const CSAT_REOPEN_REFUSED = problem({
  code: 400,
  status: "CSAT_REOPEN_REFUSED",
  message: "A conversation can't be reopened by a rating that says that its issue is resolved.",
});

export const csat = {
  createCsat: endpoint({
    route: "POST /csat/{conversation_id}",
    summary: "Rate a conversation",
    spec: "Endpoints > CSAT",
    access: { token: "csat:create" },
    acceptsIdempotencyKey: true,
    body: NewCsat,
    reply: { code: 201, body: Csat },
    problems: [CONVERSATION_NOT_FOUND, USER_NOT_FOUND, CSAT_REOPEN_REFUSED, CONFLICT, KEPT_ANSWER_REMOVED],
  }),
};
