import { MESSAGES } from "../db/messages.ts";
import { eventReport, MESSAGE_SLICE } from "../event.ts";
import { actorColumns, kindsOf, placeColumns, type Sent, sentOf, shows, textsOf } from "./message.ts";

/** Every message, with what it says. */
export const chatTranscript = eventReport<Sent>({
  span: "day",
  step: "sixHours",
  slice: MESSAGE_SLICE,
  rows: MESSAGES,
  read: sentOf,
  columns: [
    ...placeColumns,
    ...actorColumns,
    shows("message_type", ({ message_type }) => message_type),
    shows("detailed_message_type", kindsOf),
    shows("message_source", ({ message_source }) => message_source),
    { name: "message_parts", pii: true, value: ({ message }) => JSON.stringify(message.message_parts) },
    { name: "message", pii: true, value: ({ message }) => textsOf(message) },
    shows("created_time", ({ created_time }) => created_time),
  ],
});
