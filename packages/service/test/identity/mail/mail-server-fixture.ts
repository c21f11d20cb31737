import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { certificate } from "../../../../egress/test/certificate-builder.ts";

/** A message that a mail server accepted. */
interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
  /** Header lines, unfolded. */
  readonly headers: readonly string[];
  /** Decoded text of all parts. */
  readonly text: string;
}

/** A mail server on this machine. Its behaviour can be replaced while it runs. */
export interface MailServerFixture {
  readonly port: number;
  readonly received: ReceivedMail[];
  /** Number of recipients that were offered, accepted or not. */
  attempts: number;
  /** Called for each recipient. -> the code of a refusal */
  answer: (to: string) => Promise<number | undefined> | number | undefined;
  close(): Promise<void>;
}

export const MAIL_LOGIN = { user: "parley@mail.example", password: "p@ss:word/1" } as const;
export const MAIL_CERTIFICATE = certificate("localhost");

interface MailServerOptions {
  readonly tls?: "starttls" | "implicit";
  readonly needsLogin?: boolean;
  readonly port?: number;
}

const refusal = (code: number, text: string): Error => Object.assign(new Error(text), { responseCode: code });

const decoded = (raw: string): string =>
  Buffer.from(
    raw.replace(/=\r\n/g, "").replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    "latin1",
  ).toString();

export async function mailServerFixture({
  tls,
  needsLogin,
  port = 0,
}: MailServerOptions = {}): Promise<MailServerFixture> {
  const fixture: Omit<MailServerFixture, "port" | "close"> = { received: [], attempts: 0, answer: () => undefined };
  const options: SMTPServerOptions = {
    ...(tls !== undefined && MAIL_CERTIFICATE),
    secure: tls === "implicit",
    disabledCommands: [...(tls === "starttls" ? [] : ["STARTTLS"]), ...(needsLogin ? [] : ["AUTH"])],
    authOptional: !needsLogin,
    onAuth({ username, password }, _, callback) {
      if (username === MAIL_LOGIN.user && password === MAIL_LOGIN.password) callback(null, { user: username });
      else callback(refusal(535, `5.7.8 ${password} is wrong`));
    },
    onRcptTo({ address }, _, callback) {
      fixture.attempts += 1;
      void Promise.resolve(fixture.answer(address)).then((code) =>
        callback(code === undefined ? null : refusal(code, `${String(code).charAt(0)}.7.1 no mail to ${address}`)),
      );
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const raw = Buffer.concat(chunks).toString("latin1");
        const { mailFrom, rcptTo } = session.envelope;
        fixture.received.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          isEncrypted: session.secure,
          user: session.user as string | undefined,
          headers: (raw.split("\r\n\r\n", 1)[0] ?? "").replace(/\r\n[ \t]+/g, " ").split("\r\n"),
          text: decoded(raw),
        });
        callback();
      });
    },
  };
  const server = new SMTPServer(options);
  // A client that leaves in the middle is not a failure of the test.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", () => resolve()));
  return Object.assign(fixture, {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  });
}
