import { FAILURE_TEXTS } from "../../texts/failure-texts.ts";
import { RequestError } from "./request-error.ts";

/** Texts by status token of the contract. */
const TEXT_OF_STATUS: Readonly<Record<string, string>> = {
  MESSENGER_NOT_FOUND: FAILURE_TEXTS.refusedPage,
  ORIGIN_NOT_ALLOWED: FAILURE_TEXTS.refusedPage,
  NO_REPLY: FAILURE_TEXTS.unreachable,
  VISITOR_BLOCKED: FAILURE_TEXTS.blocked,
  NOT_LATEST_CONVERSATION: FAILURE_TEXTS.notLatest,
  RESPONSE_RESTRICTED: FAILURE_TEXTS.responseRestricted,
  CHANNEL_NOT_FOUND: FAILURE_TEXTS.topicGone,
  CONVERSATION_NOT_FOUND: FAILURE_TEXTS.conversationGone,
  INVALID_MESSAGE_PARTS: FAILURE_TEXTS.invalidMessage,
  INVALID_REPLY_TARGET: FAILURE_TEXTS.invalidMessage,
  UPLOAD_QUOTA_EXCEEDED: FAILURE_TEXTS.uploadQuota,
  UNAUTHENTICATED: FAILURE_TEXTS.sessionEnded,
  TOO_MANY_REQUESTS: FAILURE_TEXTS.busy,
};

/** -> what the visitor reads about a failed request @shape fallback: for errors without a text of their own */
export const failureText = (error: unknown, fallback: string): string =>
  (error instanceof RequestError && TEXT_OF_STATUS[error.status]) || fallback;
