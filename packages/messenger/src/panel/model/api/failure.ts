import type { FailureName } from "../../texts/failure-texts.ts";
import { RequestError } from "./request-error.ts";

/** Failures by status token of the contract. */
const FAILURE_OF_STATUS: Readonly<Record<string, FailureName>> = {
  MESSENGER_NOT_FOUND: "refusedPage",
  ORIGIN_NOT_ALLOWED: "refusedPage",
  NO_REPLY: "unreachable",
  VISITOR_BLOCKED: "blocked",
  NOT_LATEST_CONVERSATION: "notLatest",
  RESPONSE_RESTRICTED: "responseRestricted",
  CHANNEL_NOT_FOUND: "topicGone",
  CONVERSATION_NOT_FOUND: "conversationGone",
  INVALID_MESSAGE_PARTS: "invalidMessage",
  INVALID_REPLY_TARGET: "invalidMessage",
  UPLOAD_QUOTA_EXCEEDED: "uploadQuota",
  SIGNED_IDENTITY_REQUIRED: "unsigned",
  UNAUTHENTICATED: "sessionEnded",
  TOO_MANY_REQUESTS: "busy",
};

/** -> why a request failed, for the visitor @shape fallback: for errors without a text of their own */
export const failureOf = (error: unknown, fallback: FailureName): FailureName =>
  (error instanceof RequestError && FAILURE_OF_STATUS[error.status]) || fallback;

/** An action of the visitor did not succeed. */
export class VisitorFailure extends Error {
  override readonly name = "VisitorFailure";
  readonly failure: FailureName;
  constructor(failure: FailureName, cause?: unknown) {
    super(failure, { cause });
    this.failure = failure;
  }
}
