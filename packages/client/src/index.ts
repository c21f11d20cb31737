/** The typed client: a walk over the contract's table, on axios. */
export { parleyClient, type ClientOptions, type ParleyClient } from "./client.ts";
export { isProblemError, ProblemError, type ProblemBody } from "./problem-error.ts";
