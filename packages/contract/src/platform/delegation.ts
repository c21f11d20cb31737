import Type, { type Static } from "typebox";
import { SessionAgent } from "../identity/sessions.ts";

/** Header of a request that the service sends to the platform for a signed-in agent: a Delegation as JSON in base64url. */
export const DELEGATION_HEADER = "x-parley-delegation";

/** On whose behalf the service asks the platform, and what it asks with. */
export const Delegation = Type.Object(
  {
    agent: SessionAgent,
    /** IP address of the agent's request. */
    address: Type.String({ maxLength: 64 }),
    /** SHA-256 of the body in base64url. */
    body_digest: Type.String({ maxLength: 64 }),
  },
  { title: "Delegation" },
);
export type Delegation = Static<typeof Delegation>;

/**
 * The text that the service signs by the admin key. Its first line keeps it apart from the other texts that are signed by this key.
 * @shape target: path and query; delegation: value of the header
 */
export const delegatedRequestText = (request: {
  readonly method: string;
  readonly target: string;
  readonly delegation: string;
}): string => ["delegated request", `${request.method} ${request.target}`, request.delegation].join("\n");
