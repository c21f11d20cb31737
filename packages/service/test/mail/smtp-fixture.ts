import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { certificate } from "../../../egress/test/certificate-builder.ts";
import type { MailConfig } from "../../src/mail/config.ts";

/** A mail that the server accepted. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly isEncrypted: boolean;
  /** Headers by lower-case name, unfolded. */
  readonly headers: ReadonlyMap<string, string>;
  readonly raw: string;
  readonly text: string;
  readonly html: string;
  /** The first link in the plain text. */
  readonly link: string;
}

export const SMTP_CREDENTIALS = { user: "parley@mail.example", password: "p@ss:w/rd §" };

/** Decodes the content of a part. */
const decodedPart = (part: string): string => {
  const [head = "", ...rest] = part.split("\r\n\r\n");
  const body = rest.join("\r\n\r\n");
  if (/base64/i.test(head)) return Buffer.from(body, "base64").toString();
  if (!/quoted-printable/i.test(head)) return body;
  const joined = body.replace(/=\r\n/g, "");
  return Buffer.from(
    joined.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    "latin1",
  ).toString();
};

const parsed = (raw: string): Pick<ReceivedMail, "headers" | "raw" | "text" | "html" | "link"> => {
  const [head = ""] = raw.split("\r\n\r\n");
  const headers = new Map(
    head
      .replace(/\r\n[ \t]+/g, " ")
      .split("\r\n")
      .map(
        (line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()] as const,
      ),
  );
  const boundary = /boundary="?([^";]+)"?/.exec(headers.get("content-type") ?? "")?.[1] ?? "none";
  const parts = raw.split(`--${boundary}`);
  const partOf = (type: string) =>
    decodedPart(parts.find((part) => part.includes(`Content-Type: ${type}`))?.trimStart() ?? "");
  const text = partOf("text/plain");
  return { headers, raw, text, html: partOf("text/html"), link: /https?:\/\/\S+/.exec(text)?.[0] ?? "" };
};

interface SmtpServerSettings {
  /** Whether STARTTLS is offered; with `secure` the connection begins with TLS. */
  readonly tls?: "none" | "starttls" | "implicit";
  readonly needsAuthentication?: boolean;
  /** Answers to the first mails, by status code; 250 for the others. */
  readonly refusals?: number[];
  /** How long an answer to a mail takes. @units milliseconds */
  readonly delayMs?: number;
  /** Text of a refusal. @shape raw: the mail */
  readonly refusalText?: (raw: string) => string;
}

/** A mail server on this machine. */
export const startSmtpServer = async ({
  tls = "none",
  needsAuthentication = false,
  refusals = [],
  delayMs = 0,
  refusalText = () => "refused",
}: SmtpServerSettings = {}) => {
  const mails: ReceivedMail[] = [];
  const logins: string[] = [];
  let attempts = 0;
  let mailsInProgress = 0;
  let maxInProgress = 0;
  const { key, cert } = certificate("localhost");
  const options: SMTPServerOptions = {
    secure: tls === "implicit",
    ...(tls !== "none" && { key, cert }),
    disabledCommands: [...(tls === "starttls" ? [] : ["STARTTLS"]), ...(needsAuthentication ? [] : ["AUTH"])],
    authOptional: !needsAuthentication,
    // As many servers on loopback: authentication does not need TLS there.
    allowInsecureAuth: true,
    logger: false,
    closeTimeout: 100,
    onAuth({ username = "", password = "" }, _, done) {
      logins.push(username);
      if (username === SMTP_CREDENTIALS.user && password === SMTP_CREDENTIALS.password)
        return done(null, { user: username });
      return done(Object.assign(new Error("wrong credentials"), { responseCode: 535 }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const raw = Buffer.concat(chunks).toString();
        maxInProgress = Math.max(maxInProgress, ++mailsInProgress);
        const code = refusals[attempts++] ?? 250;
        setTimeout(() => {
          mailsInProgress--;
          if (code !== 250) return done(Object.assign(new Error(refusalText(raw)), { responseCode: code }));
          const { mailFrom, rcptTo } = session.envelope;
          mails.push({
            from: mailFrom ? mailFrom.address : "",
            to: rcptTo.map(({ address }) => address),
            user: session.user as string | undefined,
            isEncrypted: session.secure,
            ...parsed(raw),
          });
          return done();
        }, delayMs);
      });
    },
  };
  const server = new SMTPServer(options);
  // A client that gives up resets the connection.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    mails,
    /** User names of attempts to authenticate. */
    logins,
    attempts: () => attempts,
    /** The highest number of mails that were being sent at a time. */
    mailsAtOnce: () => maxInProgress,
    certificate: cert,
    /** Settings of a service that sends by this server. */
    config: (changes: Partial<MailConfig> = {}): MailConfig => ({
      host: "localhost",
      port,
      isImplicitTls: tls === "implicit",
      isTlsRequired: tls !== "none",
      ...(tls !== "none" && { certificateAuthorities: cert }),
      ...(needsAuthentication && { credentials: SMTP_CREDENTIALS }),
      from: { name: "Parley", address: "parley@mail.example" },
      retryDelaysMs: [20, 20, 20],
      ...changes,
    }),
    /** -> the mail with this index, as soon as it was accepted @errors Error after five seconds */
    async mail(index = 0): Promise<ReceivedMail> {
      for (let turn = 0; turn < 250; turn++) {
        const mail = mails[index];
        if (mail) return mail;
        await wait(20);
      }
      throw new Error(`${mails.length} mails arrived, not ${index + 1}`);
    },
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
};
export type SmtpServerFixture = Awaited<ReturnType<typeof startSmtpServer>>;
