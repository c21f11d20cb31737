/**
 * Every way a request ends without a reply: the status and the words an app reads.
 * @assumed The field's wording is kept where it has one; credentials, headers, methods and the two sizes have no text there, so these are ours.
 */
export const failures = {
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

export type EgressReason = keyof typeof failures;

/**
 * A row of the table, thrown: its words name no address, header or body, since apps and logs see them.
 * @shape `attempts` counts the attempts begun, 0 when the request was refused; `cause`, where there is one, is for the operator's log.
 */
export class EgressFailure extends Error {
  override readonly name = "EgressFailure";
  readonly code: number;
  readonly reason: EgressReason;
  readonly attempts: number;

  constructor(reason: EgressReason, attempts = 0, cause?: unknown) {
    super(failures[reason].message, cause === undefined ? undefined : { cause });
    this.code = failures[reason].code;
    this.reason = reason;
    this.attempts = attempts;
  }
}
