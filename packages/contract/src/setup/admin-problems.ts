import { problem } from "../kernel/problem.ts";

/** In a file of its own, since every table of the owner's says it. */
export const ACCOUNT_NOT_FOUND = problem({ code: 404, status: "ACCOUNT_NOT_FOUND", message: "account not found" });
