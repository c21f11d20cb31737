import { problem } from "../kernel/problem.ts";

export const CONVERSATION_NOT_FOUND = problem({
  code: 404,
  status: "CONVERSATION_NOT_FOUND",
  message: "conversation not found",
});
