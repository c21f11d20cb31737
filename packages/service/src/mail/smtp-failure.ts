import type { MailConfig } from "./config.ts";

/** A mail that was not sent. The message contains no secret. */
export class SmtpFailure extends Error {
  override readonly name = "SmtpFailure";
  /** Whether a later attempt can succeed. */
  readonly isTemporary: boolean;
  constructor(message: string, isTemporary: boolean) {
    super(message);
    this.isTemporary = isTemporary;
  }
}

/** Errors of the connection, which name no answer of the server. */
const CONNECTION_ERRORS: readonly (string | undefined)[] = ["ECONNECTION", "ETIMEDOUT", "EDNS", "ESOCKET"];

const MESSAGE_LENGTH_MAX = 300;

interface MailSecrets {
  readonly link: string;
  readonly credentials: MailConfig["credentials"];
}

/** Texts that an answer of the server must not bring into a log: servers repeat commands, and addresses in the content. */
const secretTexts = ({ link, credentials }: MailSecrets): string[] => {
  const secret = /[\w-]{20,}$/.exec(link)?.[0] ?? link;
  if (!credentials) return [secret];
  const { user, password } = credentials;
  const encoded = [`\0${user}\0${password}`, password].map((text) => Buffer.from(text).toString("base64"));
  return [secret, ...encoded, password];
};

/** Describes an error of the mail library for the operator, in one line. */
export const smtpFailureOf = (error: unknown, secrets: MailSecrets): SmtpFailure => {
  if (error instanceof SmtpFailure) return error;
  const { message, code, permanent } = error as Error & { readonly code?: string; readonly permanent?: boolean };
  const text = secretTexts(secrets).reduce((shown, secret) => shown.replaceAll(secret, "…"), message);
  const line = text.replace(/[\p{Cc}\s]+/gu, " ").slice(0, MESSAGE_LENGTH_MAX);
  return new SmtpFailure(line, permanent === false || (permanent === undefined && CONNECTION_ERRORS.includes(code)));
};
