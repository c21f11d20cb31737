/** An error whose status and message are shown to the caller. */
export class RefusedWithStatus extends Error {
  override readonly name: string = "Refused";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Refusal of an app's call: `$db`, `$schedule`, or the client of its pages. @shape details: additional members of the error that the app receives */
export class AppRefused extends RefusedWithStatus {
  override readonly name = "AppRefused";
  readonly details: Readonly<Record<string, unknown>>;
  constructor(status: number, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(status, message);
    this.details = details;
  }
}
