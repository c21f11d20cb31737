import { MESSAGES } from "../db/messages.ts";
import { eventReport, MESSAGE_SLICE } from "../event.ts";
import { actorColumns, kindsOf, placeColumns, type Sent, sentOf, shows } from "./message.ts";

/** Every message, without what it says. @assumed Messages of users, agents, bots and the service are all sent ones. */
export const messageSent = eventReport<Sent>({
  span: "month",
  step: "day",
  slice: MESSAGE_SLICE,
  rows: MESSAGES,
  read: sentOf,
  columns: [
    ...placeColumns,
    shows("interaction_id", ({ interaction_id }) => interaction_id),
    ...actorColumns,
    shows("message_type", ({ message_type }) => message_type),
    shows("detailed_message_type", kindsOf),
    shows("message_source", ({ message_source }) => message_source),
    shows("created_at", ({ created_time }) => created_time),
  ],
});
