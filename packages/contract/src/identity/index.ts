import { sessions } from "./sessions.ts";
import { signIn } from "./sign-in.ts";

export * from "./administration.ts";
export * from "./audit-log.ts";
export * from "./problems.ts";
export * from "./session-cookie.ts";
export * from "./sessions.ts";
export * from "./sign-in.ts";

/** Endpoints of people who sign in, by table. */
export const identity = { signIn, sessions };
