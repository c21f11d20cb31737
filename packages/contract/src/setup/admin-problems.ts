import { problem } from "../kernel/problem.ts";

/** Shared by all tables of admin endpoints; a separate file avoids an import cycle. */
export const ACCOUNT_NOT_FOUND = problem({ code: 404, status: "ACCOUNT_NOT_FOUND", message: "account not found" });
