import { Message } from "@parley/contract";
import { serializerOf } from "../http/serializer.ts";

/** The stored text of a message is its reply: what the schema does not name is not even kept. */
export const messageText = serializerOf(Message);
