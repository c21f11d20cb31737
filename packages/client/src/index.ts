/** The typed client, derived from the contract's table; built on axios. */
export { type RateLimit as RateLimitState } from "./response.ts";
export { type CallOptions, type KeyOptions, type ParleyClient } from "./calls.ts";
export { parleyClient, type ClientOptions } from "./client.ts";
export { isNoAnswerError, NoAnswerError } from "./no-answer.ts";
export { isProblemError, ProblemError, type ProblemBody, type StatusToken } from "./problem-error.ts";
export { type RetryRules } from "./retry.ts";
export { type StreamInput, type StreamItem } from "./stream.ts";
export { type UploadContent } from "./upload.ts";
