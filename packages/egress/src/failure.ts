/**
 * Failures without a response: the status and the message that an app reads.
 * @assumed Messages are those of existing app platforms where these have a message; they have no messages for credentials, headers, methods and the
 * two sizes.
 */
export const FAILURES = {
  MUST_BE_HTTPS: { code: 400, message: "Invalid URL - Must be HTTPS" },
  IP_DISALLOWED: { code: 400, message: "Invalid URL - IP is disallowed" },
  MUST_BE_FQDN: { code: 400, message: "Invalid URL - Must be FQDN" },
  CREDENTIALS_DISALLOWED: { code: 400, message: "Invalid URL - Credentials are disallowed" },
  METHOD_DISALLOWED: { code: 400, message: "Invalid method" },
  HEADER_DISALLOWED: { code: 400, message: "Invalid header" },
  REQUEST_TOO_LARGE: { code: 413, message: "Request is too large" },
  CONNECTION: { code: 502, message: "Error in establishing connection" },
  RESPONSE_TOO_LARGE: { code: 502, message: "Response is too large" },
  TIMEOUT: { code: 504, message: "Timeout error while processing the request" },
} as const satisfies Record<string, { readonly code: number; readonly message: string }>;

export type EgressReason = keyof typeof FAILURES;

/**
 * An error with a row of the table. The message contains no address, header or body, since apps and logs show it.
 * @shape `attempts` is the number of started attempts, 0 if the request was refused; `cause`, if present, is for the operator's log.
 */
export class EgressFailure extends Error {
  override readonly name = "EgressFailure";
  readonly code: number;
  readonly reason: EgressReason;
  readonly attempts: number;

  constructor(reason: EgressReason, attempts = 0, cause?: unknown) {
    super(FAILURES[reason].message, cause === undefined ? undefined : { cause });
    this.code = FAILURES[reason].code;
    this.reason = reason;
    this.attempts = attempts;
  }
}
