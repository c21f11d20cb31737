/** What was asked for is not done; whoever asked sees the status and the words. */
export class RefusedWithStatus extends Error {
  override readonly name: string = "Refused";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** An app asked, by `$db`, `$schedule` or its page's client. @shape details: more members of what the app gets to see */
export class AppRefused extends RefusedWithStatus {
  override readonly name = "AppRefused";
  readonly details: Readonly<Record<string, unknown>>;
  constructor(status: number, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(status, message);
    this.details = details;
  }
}
