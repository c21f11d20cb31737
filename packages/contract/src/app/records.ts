import Type, { type Static } from "typebox";
import { EntityAction } from "./entities.ts";

const closed = { additionalProperties: false };

/**
 * Requests to the app's data store (`$db`), the same from the app's server code and from its pages. The data store validates keys,
 * values and options itself.
 */
export const RecordQuestion = Type.Union([
  Type.Object({ of: Type.Literal("db.get"), key: Type.Unknown() }, closed),
  Type.Object(
    { of: Type.Literal("db.set"), key: Type.Unknown(), value: Type.Unknown(), options: Type.Optional(Type.Unknown()) },
    closed,
  ),
  Type.Object(
    { of: Type.Literal("db.update"), key: Type.Unknown(), action: Type.Unknown(), attributes: Type.Unknown() },
    closed,
  ),
  Type.Object({ of: Type.Literal("db.delete"), key: Type.Unknown() }, closed),
  Type.Object(
    {
      of: Type.Literal("entity"),
      entity: Type.Unknown(),
      action: EntityAction,
      args: Type.Array(Type.Unknown(), { maxItems: 2 }),
    },
    closed,
  ),
]);
export type RecordQuestion = Static<typeof RecordQuestion>;
