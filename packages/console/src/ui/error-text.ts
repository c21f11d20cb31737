import { isNoAnswerError, isProblemError } from "@parley/client/session";
import { uiMessages } from "./messages.ts";

/** -> what people read of an error: for a refusal the message of the service, without its code */
export const errorText = (error: unknown): string => {
  if (isProblemError(error)) return error.problem.message;
  if (isNoAnswerError(error)) return uiMessages.noAnswer;
  return error instanceof Error ? error.message : String(error);
};
