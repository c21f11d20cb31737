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

/** Refuses an app's call. @errors AppRefused */
export function refuseCall(status: number, message: string, details?: AppRefused["details"]): never {
  throw new AppRefused(status, message, details);
}

/** Refusal of a request of the app's author or of an admin, by the control API or a page of the host. The message says what to do. */
export class ControlRefused extends RefusedWithStatus {
  override readonly name = "ControlRefused";
}

/** Refuses a request of the app's author or of an admin. @errors ControlRefused */
export function refuseControl(status: number, message: string): never {
  throw new ControlRefused(status, message);
}
