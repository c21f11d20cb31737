import { urlOf, type Environment, UsageFailure } from "@parley/contract";

/** The mail server and the sender of messages. */
export interface MailConfig {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise by STARTTLS. */
  readonly isImplicitTls: boolean;
  /** Refuses a connection without TLS and a certificate that is not valid for the host. */
  readonly isTlsRequired: boolean;
  readonly login?: { readonly user: string; readonly password: string } | undefined;
  readonly from: { readonly name: string; readonly address: string };
  /** Certificates of authorities that are trusted instead of those of Node, in PEM. */
  readonly authorities?: string | undefined;
  /** Time limit of each step of a connection; 10 s when absent. @units milliseconds */
  readonly stepTimeoutMs?: number | undefined;
  /** Time limit of one attempt; 20 s when absent. @units milliseconds */
  readonly attemptTimeoutMs?: number | undefined;
  /** Delays before the further attempts of a message in the background; defaults when absent. @units milliseconds */
  readonly retryDelaysMs?: readonly number[] | undefined;
}

const HOST =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*\.?|\[[0-9a-f:.]+\])$/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;
const DEFAULT_PORTS = { "smtp:": 587, "smtps:": 465 } as const;

/** Matches one address that needs no quoting. */
const ADDRESS = /^[^\s\p{C}<>()[\],:;"\\@]{1,64}@[^\s\p{C}<>()[\],:;"\\@]{1,253}$/u;

/** Whether a text is one e-mail address. It contains no separator, quote, space or control character, so it can't be read as several addresses. */
export const isMailAddress = (text: string): boolean => text.length <= 254 && ADDRESS.test(text);

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

const serverOf = (text: string): Omit<MailConfig, "from"> | undefined => {
  const url = urlOf(text);
  const protocol = url?.protocol;
  if (!url || (protocol !== "smtp:" && protocol !== "smtps:")) return undefined;
  const [user, password] = [decoded(url.username), decoded(url.password)];
  const hasOnlyServer = /^\/?$/.test(url.pathname) && url.search === "" && url.hash === "" && HOST.test(url.hostname);
  if (!hasOnlyServer || url.port === "0" || user === undefined || password === undefined) return undefined;
  if ((user === "") !== (password === "")) return undefined;
  const isImplicitTls = protocol === "smtps:";
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? DEFAULT_PORTS[protocol] : Number(url.port),
    isImplicitTls,
    isTlsRequired: isImplicitTls || !LOOPBACK.test(url.hostname),
    login: user === "" ? undefined : { user, password },
  };
};

const senderOf = (text: string): MailConfig["from"] | undefined => {
  const [, name = "", bracketed] = /^(?:"?([^<>"\p{C}]*?)"?\s*<([^<>]*)>)$/u.exec(text.trim()) ?? [];
  const address = bracketed ?? text.trim();
  return isMailAddress(address) ? { name: name.trim(), address } : undefined;
};

/**
 * -> undefined: no e-mail is sent
 * @errors UsageFailure that names the variable and its valid values; never with the URL, which contains a password
 */
export const mailConfig = (env: Environment = process.env): MailConfig | undefined => {
  const [url, from] = [env["PARLEY_SMTP_URL"] ?? "", env["PARLEY_MAIL_FROM"] ?? ""];
  if (url === "" && from === "") return undefined;
  const server = serverOf(url);
  if (!server)
    throw new UsageFailure(
      "PARLEY_SMTP_URL must be the address of a mail server, such as smtp://user:password@mail.example.com:587 or " +
        "smtps://user:password@mail.example.com:465. Write special characters of the user and the password as in an address, such as %40 for @. " +
        "Leave it and PARLEY_MAIL_FROM out to send no e-mail.",
    );
  const sender = senderOf(from);
  if (!sender)
    throw new UsageFailure(
      `PARLEY_MAIL_FROM must be the sender of e-mails, such as parley@example.com or Parley <parley@example.com>, not '${from}'.`,
    );
  return { ...server, from: sender };
};
