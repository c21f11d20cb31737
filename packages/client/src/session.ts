/** The typed client for pages with a session; built on fetch. */
export { type CallOptions, type KeyOptions } from "./calls.ts";
export { SESSION_ROUTES } from "./contract-values.ts";
export { isNoAnswerError, NoAnswerError } from "./no-answer.ts";
export { isProblemError, ProblemError, type ProblemBody, type StatusToken } from "./problem-error.ts";
export { type RetryRules } from "./retry.ts";
export { type AdminClient, type ConsoleStreamCall, type SessionClient } from "./session-calls.ts";
export { adminClient, sessionClient, type SessionClientOptions } from "./session-client.ts";
export { type StreamItem, type StreamState } from "./stream.ts";
export { type UploadContent } from "./upload.ts";
