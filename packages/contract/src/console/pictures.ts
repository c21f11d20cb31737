import Type from "typebox";
import { LIMITS } from "../api/limits.ts";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { CONSOLE_API, SPEC_OF_CONSOLE } from "./inbox.ts";

export const PICTURE_NOT_AVAILABLE = problem({
  code: 404,
  status: "PICTURE_NOT_AVAILABLE",
  message: "The picture can't be loaded.",
});

const LOADED = {
  spec: SPEC_OF_CONSOLE,
  query: Type.Object({
    url: Type.String({
      minLength: 1,
      maxLength: LIMITS.url_characters,
      description: "One of the addresses in the object of the path. Others are refused.",
    }),
  }),
  reply: { code: 200, type: "image/*", body: Type.Unknown() },
  problems: [PICTURE_NOT_AVAILABLE],
} as const;

/**
 * Pictures whose addresses customers, apps and colleagues gave. The service loads them, so that an agent's browser sends no request to a host
 * that somebody else chose.
 */
export const pictures = {
  getUserPicture: endpoint({
    ...LOADED,
    route: `GET ${CONSOLE_API}/users/{user_id}/picture`,
    summary: "Load the avatar of a user",
    access: { session: sessionsOf("AGENT", "user") },
  }),
  getAgentPicture: endpoint({
    ...LOADED,
    route: `GET ${CONSOLE_API}/agents/{agent_id}/picture`,
    summary: "Load the avatar of an agent",
    access: { session: sessionsOf("AGENT", "account") },
  }),
  getChannelPicture: endpoint({
    ...LOADED,
    route: `GET ${CONSOLE_API}/channels/{channel_id}/picture`,
    summary: "Load the icon of a topic, or a picture of its welcome message",
    access: { session: sessionsOf("AGENT", "account") },
  }),
  getMessagePicture: endpoint({
    ...LOADED,
    route: `GET ${CONSOLE_API}/conversations/{conversation_id}/messages/{message_id}/picture`,
    summary: "Load a picture of a message",
    access: { session: sessionsOf("AGENT", "conversation") },
  }),
};
