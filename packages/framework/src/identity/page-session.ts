import type { SessionAgent } from "@parley/contract";
import type { FastifyRequest } from "fastify";

/** The session of a request to a page of this host. */
export interface PageSession {
  /** Secret that only this host and the browser know. It binds page tokens to the session. */
  readonly secret: string;
  readonly agent: SessionAgent;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Absent where pages need no sign-in, and for routes that are open without a session. */
    pageSession?: PageSession;
  }
}

/** The signed-in agent of a request; undefined where pages need no sign-in. */
export const signedInAgentOf = ({ pageSession }: FastifyRequest): SessionAgent | undefined => pageSession?.agent;
