import { isProblemError } from "@parley/client/session";

/** -> what people read of an error: for a refusal the message of the service, without its code */
export const errorText = (error: unknown): string => {
  if (isProblemError(error)) return error.problem.message;
  return error instanceof Error ? error.message : String(error);
};
