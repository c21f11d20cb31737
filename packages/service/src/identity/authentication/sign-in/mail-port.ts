import type { LinkPurpose } from "./links.sql.ts";

/** A link to be sent to an agent. */
export interface LinkMail {
  readonly to: string;
  readonly account: string;
  readonly purpose: Extract<LinkPurpose, "invitation" | "password_reset">;
  readonly link: string;
  readonly expires: Date;
}

/** Sends links by e-mail. */
export interface LinkMailer {
  /** @errors Error when the mail server does not accept the message */
  readonly send: (mail: LinkMail) => Promise<void>;
  /** Sends without telling the result, which is logged. A temporary failure is retried until a newer message to the agent. */
  readonly sendInBackground: (mail: LinkMail) => void;
  readonly close: () => void;
}
