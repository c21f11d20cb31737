import { createTransport } from "nodemailer";
import { createSemaphore } from "@parley/database";
import type { Log } from "@parley/telemetry";
import { createStopController, sleep, withLinkedAbort } from "../../base/concurrency/wake-signal.ts";
import type { LinkMail, LinkMailer } from "../authentication/sign-in/mail-port.ts";
import { isMailAddress, type MailConfig } from "./config.ts";
import { linkMessage } from "./link-message.ts";

/** Time limit of each step of a connection. @units milliseconds */
const STEP_TIMEOUT_MS = 10_000;
/** Time limit of one attempt: a server that sends a byte now and then would never exceed the limit of a step. @units milliseconds */
const ATTEMPT_TIMEOUT_MS = 20_000;
/** Delays before the further attempts of a message in the background, within the lifetime of its link. @units milliseconds */
const RETRY_DELAYS_MS: readonly number[] = [30_000, 2 * 60_000, 10 * 60_000];
/** Simultaneous connections: mail servers refuse clients that open many. */
const CONNECTIONS_MAX = 4;
/** Messages in the background, those that wait for another attempt included. Beyond it they are dropped. */
const BACKGROUND_MESSAGES_MAX = 500;

/** A message was not sent. Its text contains nothing that the server wrote, since servers quote messages, and those contain a secret. */
class MailFailure extends Error {
  override readonly name = "MailFailure";
  readonly isTemporary: boolean;
  constructor(message: string, isTemporary: boolean) {
    super(message);
    this.isTemporary = isTemporary;
  }
}

/** @shape members of nodemailer's errors */
interface TransportError {
  readonly code?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

/** Error codes of the connection; everything else of it, such as a certificate that is not valid, does not change by itself. */
const CONNECTION_CODES = ["ECONNECTION", "ETIMEDOUT", "ESOCKET", "EDNS", "ECONNREFUSED", "ECONNRESET"];

const failDelivery = (error: unknown): never => {
  const { code = "unknown error", command, response = "", responseCode } = error as TransportError;
  const step = /^[A-Z][A-Z ]{0,20}$/.test(command ?? "") ? ` to ${command}` : "";
  if (responseCode === undefined || responseCode < 400)
    throw new MailFailure(
      `no message was exchanged with the mail server (${code}${step})`,
      CONNECTION_CODES.includes(code),
    );
  const detail = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
  const answer = `${responseCode}${detail === undefined ? "" : ` ${detail}`}`;
  throw new MailFailure(`the mail server answered ${answer}${step}`, responseCode < 500);
};

interface LinkMailerDeps {
  readonly config: MailConfig;
  readonly log: Log;
}

/**
 * Sends links by a mail server. Secrets of links are in memory only: a message in the background is lost when the process ends, and its
 * recipient asks again.
 */
export function createLinkMailer({ config, log }: LinkMailerDeps): LinkMailer {
  const { host, port, isImplicitTls, isTlsRequired, login, from, authorities } = config;
  const { stepTimeoutMs = STEP_TIMEOUT_MS, attemptTimeoutMs = ATTEMPT_TIMEOUT_MS } = config;
  const { retryDelaysMs = RETRY_DELAYS_MS } = config;
  const transport = createTransport({
    host,
    port,
    secure: isImplicitTls,
    requireTLS: isTlsRequired,
    // On this machine a server needs no certificate: nobody else can be in between.
    tls: {
      rejectUnauthorized: isTlsRequired,
      minVersion: "TLSv1.2",
      ...(authorities !== undefined && { ca: authorities }),
    },
    ...(login && { auth: { user: login.user, pass: login.password } }),
    connectionTimeout: stepTimeoutMs,
    greetingTimeout: stepTimeoutMs,
    socketTimeout: stepTimeoutMs,
    dnsTimeout: stepTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const permits = createSemaphore({
    max: CONNECTIONS_MAX,
    maxWaiting: BACKGROUND_MESSAGES_MAX,
    acquireTimeoutMs: attemptTimeoutMs,
  });
  const stop = createStopController();
  /** The latest message of each agent in the background: it makes the links of earlier messages invalid. */
  const background = new Map<string, AbortController>();

  const attempt = async (mail: LinkMail): Promise<void> => {
    if (!isMailAddress(mail.to)) throw new MailFailure("the e-mail address of the agent is not valid", false);
    await permits.acquire().catch(() => {
      throw new MailFailure("the mail server is too slow for the number of messages", true);
    });
    const deadline = createStopController();
    const expire = async (): Promise<never> => {
      await sleep(attemptTimeoutMs, deadline.signal);
      throw new MailFailure("the mail server was too slow", true);
    };
    const expired = expire();
    expired.catch(() => undefined);
    try {
      await withLinkedAbort(stop.signal, async (linked) => {
        const sent = transport.sendMail({
          from,
          to: { name: "", address: mail.to },
          envelope: { from: from.address, to: [mail.to] },
          ...linkMessage(mail),
          headers: { "Auto-Submitted": "auto-generated" },
          xMailer: false,
          // Ends the connection at the deadline, and when the service stops.
          signal: AbortSignal.any([deadline.signal, linked.signal]),
        });
        await Promise.race([sent, expired]);
      });
    } catch (error) {
      if (error instanceof MailFailure) throw error;
      failDelivery(error);
    } finally {
      deadline.abort();
      permits.release();
    }
  };

  const attemptRepeatedly = async (mail: LinkMail, signal: AbortSignal): Promise<void> => {
    for (const delayMs of [...retryDelaysMs, undefined])
      try {
        return await attempt(mail);
      } catch (error) {
        const { message, isTemporary } = error as MailFailure;
        const isLast = !isTemporary || delayMs === undefined;
        log(
          `A link for an agent of ${JSON.stringify(mail.account)} was not sent: ${message}. ` +
            (isLast ? "Check the mail server and PARLEY_SMTP_URL." : `The next attempt is in ${delayMs / 1_000} s.`),
          { level: "error" },
        );
        if (isLast) return;
        await sleep(delayMs, signal);
        if (signal.aborted) return;
      }
  };

  return {
    send: attempt,
    sendInBackground(mail) {
      const key = JSON.stringify([mail.account, mail.to]);
      background.get(key)?.abort();
      if (!background.has(key) && background.size >= BACKGROUND_MESSAGES_MAX)
        return log(`A link was not sent: ${BACKGROUND_MESSAGES_MAX} messages are waiting for the mail server.`, {
          level: "error",
        });
      const replaced = new AbortController();
      background.set(key, replaced);
      const work = (linked: AbortController) => attemptRepeatedly(mail, linked.signal);
      void withLinkedAbort(stop.signal, work, replaced).finally(() => {
        if (background.get(key) === replaced) background.delete(key);
      });
    },
    close() {
      stop.abort();
      transport.close();
    },
  };
}
