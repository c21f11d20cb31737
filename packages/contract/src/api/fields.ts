import { sessionsOf } from "../kernel/access.ts";
import Type, { type Static } from "typebox";
import { endpoint } from "../kernel/endpoint.ts";

export const FieldType = Type.Enum([
  "TEXT",
  "DROPDOWN",
  "CHECKBOX",
  "PARAGRAPH",
  "NUMBER",
  "DECIMAL",
  "DATE",
  "MULTI_SELECT_DROPDOWN",
]);
export type FieldType = Static<typeof FieldType>;

/** @spec Resources and their fields > Conversation property field object */
export const Field = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    label: Type.String(),
    type: FieldType,
    custom: Type.Boolean(),
    editable: Type.Boolean(),
    position: Type.Integer(),
    required: Type.Boolean(),
    choices: Type.Array(Type.Object({ id: Type.String(), value: Type.String() })),
    default_value: Type.Optional(Type.String({ description: "Only on priority: the choice id of Low." })),
  },
  { title: "Field" },
);
export type Field = Static<typeof Field>;

export const fields = {
  listFields: endpoint({
    route: "GET /conversations/fields",
    summary: "List the conversation property fields of the account",
    spec: "Endpoints > Conversations",
    access: { token: "conversation:read", session: sessionsOf("AGENT", "account") },
    reply: { code: 200, body: Type.Array(Field) },
  }),
};
