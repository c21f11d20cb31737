import { createTransport } from "nodemailer";
import { createSemaphore } from "@parley/database";
import { createStopController, sleep } from "../concurrency/wake-signal.ts";
import type { LinkMail, LinkMailer } from "../identity/sign-in/mail-port.ts";
import { isMailAddress } from "./address.ts";
import type { MailConfig } from "./config.ts";
import { linkMessage } from "./link-message.ts";
import { SmtpFailure, smtpFailureOf } from "./smtp-failure.ts";

/**
 * Pauses before further attempts: a server that refuses unknown senders for the first minutes (greylisting) accepts the last one.
 * @units milliseconds
 */
const RETRY_DELAYS_MS = [15_000, 60_000, 5 * 60_000, 15 * 60_000];
/** Time limit of one attempt, from the connection to the server's acceptance. @units milliseconds */
const ATTEMPT_TIMEOUT_MS = 30_000;
/** Simultaneous connections to the mail server. */
const CONNECTIONS_MAX = 4;
/** Mails that are sent in the background or wait for their next attempt. Further ones are dropped. */
const BACKGROUND_MAX = 200;

interface SmtpMailerDeps {
  readonly config: MailConfig;
  readonly now: () => Date;
  readonly log: (line: string) => void;
}

/** Sends links by SMTP, each on a connection of its own. */
export const createSmtpMailer = ({ config, now, log }: SmtpMailerDeps): LinkMailer => {
  const { host, port, credentials, from, certificateAuthorities: ca } = config;
  const { attemptTimeoutMs = ATTEMPT_TIMEOUT_MS, retryDelaysMs = RETRY_DELAYS_MS } = config;
  const transport = createTransport({
    host,
    port,
    secure: config.isImplicitTls,
    requireTLS: config.isTlsRequired,
    tls: {
      minVersion: "TLSv1.2",
      ...(ca !== undefined && { ca }),
      // Without the requirement, an attacker on the way could prevent TLS altogether: there is none on this machine.
      rejectUnauthorized: config.isTlsRequired,
    },
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
    connectionTimeout: attemptTimeoutMs,
    greetingTimeout: attemptTimeoutMs,
    socketTimeout: attemptTimeoutMs,
    dnsTimeout: attemptTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const permits = createSemaphore({
    max: CONNECTIONS_MAX,
    maxWaiting: BACKGROUND_MAX,
    acquireTimeoutMs: attemptTimeoutMs,
  });
  const stop = createStopController();
  let inBackground = 0;

  /** @errors SmtpFailure */
  const attempt = async (mail: LinkMail): Promise<void> => {
    if (!isMailAddress(mail.to)) throw new SmtpFailure("the recipient is not one plain e-mail address", false);
    await permits.acquire().catch(() => {
      throw new SmtpFailure("too many mails are being sent", true);
    });
    const timeout = AbortSignal.timeout(attemptTimeoutMs);
    try {
      await transport.sendMail({
        from,
        to: { name: "", address: mail.to },
        // Not derived from the headers, so that they can't add a recipient.
        envelope: { from: from.address, to: [mail.to] },
        ...linkMessage(mail),
        // Programs that answer mails, such as absence notes, do not answer this one (RFC 3834).
        headers: { "Auto-Submitted": "auto-generated" },
        xMailer: false,
        signal: AbortSignal.any([timeout, stop.signal]),
      });
    } catch (error) {
      throw timeout.aborted
        ? new SmtpFailure(`the server did not accept it within ${attemptTimeoutMs / 1_000} s`, true)
        : smtpFailureOf(error, { link: mail.link, credentials });
    } finally {
      permits.release();
    }
  };

  /** -> the failure of the last attempt; undefined if the server accepted the mail */
  const attemptRepeatedly = async (mail: LinkMail): Promise<SmtpFailure | undefined> => {
    let last: SmtpFailure | undefined;
    for (const delayMs of [0, ...retryDelaysMs]) {
      await sleep(delayMs, stop.signal);
      // A link that is not valid any more is of no use.
      if (stop.signal.aborted || now() >= mail.expires) break;
      try {
        await attempt(mail);
        return undefined;
      } catch (error) {
        last = smtpFailureOf(error, { link: mail.link, credentials });
        if (!last.isTemporary) break;
      }
    }
    return last ?? new SmtpFailure("the service was stopped", true);
  };

  return {
    send: attempt,
    sendInBackground(mail) {
      if (inBackground >= BACKGROUND_MAX)
        return log(
          `error: A mail for an agent of ${mail.account} was dropped: ${BACKGROUND_MAX} others are being sent.`,
        );
      inBackground++;
      void attemptRepeatedly(mail).then((failure) => {
        inBackground--;
        if (failure) log(`error: A mail for an agent of ${mail.account} was not sent: ${failure.message}`);
      });
    },
    close() {
      stop.abort();
      transport.close();
    },
  };
};
