import { urlOf, type Environment } from "@parley/contract";
import { UsageFailure } from "../environment/settings.ts";
import { isLoopback } from "../outbound/config.ts";
import { isMailAddress } from "./address.ts";

/** The mail server and the sender. */
export interface MailConfig {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (smtps), instead of STARTTLS. */
  readonly isImplicitTls: boolean;
  /** false: on this machine, where TLS is used if the server offers it, and its certificate is not checked. */
  readonly isTlsRequired: boolean;
  /** Absent: the server needs no authentication. */
  readonly credentials?: { readonly user: string; readonly password: string } | undefined;
  readonly from: { readonly name: string; readonly address: string };
  /** Certificates of authorities, PEM; those of Node when absent. */
  readonly certificateAuthorities?: string | undefined;
  /** Pauses before further attempts of a mail that was refused temporarily; the default when absent. @units milliseconds */
  readonly retryDelaysMs?: readonly number[] | undefined;
  /** Time limit of one attempt; the default when absent. @units milliseconds */
  readonly attemptTimeoutMs?: number | undefined;
}

const DEFAULT_PORTS = { "smtp:": 587, "smtps:": 465 } as const;

/** -> undefined for text with malformed percent-encoding */
const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

type MailServer = Omit<MailConfig, "from">;

/** -> undefined for anything but the address of a mail server */
const serverOf = (text: string): MailServer | undefined => {
  const url = urlOf(text);
  if (!url || (url.protocol !== "smtp:" && url.protocol !== "smtps:")) return undefined;
  const [user, password] = [decoded(url.username), decoded(url.password)];
  const hasRest = (url.pathname !== "" && url.pathname !== "/") || url.search !== "" || url.hash !== "";
  if (url.hostname === "" || hasRest || user === undefined || password === undefined) return undefined;
  if ((user === "") !== (password === "") || /\p{Cc}/u.test(user + password)) return undefined;
  const isImplicitTls = url.protocol === "smtps:";
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? DEFAULT_PORTS[url.protocol] : Number(url.port),
    isImplicitTls,
    isTlsRequired: isImplicitTls || !isLoopback(url),
    ...(user !== "" && { credentials: { user, password } }),
  };
};

const NAMED_ADDRESS = /^([^<>\p{Cc}]{1,100}?)\s*<([^<>]+)>$/u;

/** @shape text: an address, or a name with an address in angle brackets -> undefined for anything else */
const senderOf = (text: string): MailConfig["from"] | undefined => {
  const [, name = "", address = text] = NAMED_ADDRESS.exec(text.trim()) ?? [];
  return isMailAddress(address.trim()) ? { name: name.replace(/^"(.*)"$/, "$1"), address: address.trim() } : undefined;
};

/**
 * Reads the mail server and the sender. The messages do not contain the address of the server, which has a password.
 * -> undefined: no mail is sent
 * @errors UsageFailure that names the variable and its valid values
 */
export const mailConfig = (env: Environment = process.env): MailConfig | undefined => {
  const [url, from] = [env["PARLEY_SMTP_URL"] ?? "", env["PARLEY_MAIL_FROM"] ?? ""];
  if (url === "" && from === "") return undefined;
  const server = serverOf(url);
  if (!server)
    throw new UsageFailure(
      "PARLEY_SMTP_URL must be the address of a mail server, such as smtp://user:password@mail.example.com:587 or " +
        "smtps://user:password@mail.example.com:465; write special characters of the user and the password percent-encoded " +
        "(@ as %40). Leave it and PARLEY_MAIL_FROM out to send no mail.",
    );
  const sender = senderOf(from);
  if (!sender)
    throw new UsageFailure(
      "PARLEY_MAIL_FROM must be the sender of mails, such as support@example.com or Support <support@example.com>, " +
        `not '${from}'.`,
    );
  return { ...server, from: sender };
};
