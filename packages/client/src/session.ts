/** The typed client for pages with a session; built on fetch. */
export { SESSION_ROUTES } from "./contract-values.ts";
export { isNoAnswerError } from "./no-answer.ts";
export { isProblemError } from "./problem-error.ts";
export { type AdminClient, type SessionClient } from "./session-calls.ts";
export { adminClient, sessionClient, type SessionClientOptions } from "./session-client.ts";
export { type StreamState } from "./stream.ts";
