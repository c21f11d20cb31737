import type { LinkMail } from "../identity/sign-in/mail-port.ts";

interface MessageTexts {
  readonly subject: string;
  readonly reason: string;
  readonly request: string;
  readonly otherwise: string;
}

/** Texts by purpose. @shape account: without control characters */
const TEXTS: Readonly<Record<LinkMail["purpose"], (account: string) => MessageTexts>> = {
  invitation: (account) => ({
    subject: `Invitation to ${account} on Parley`,
    reason: `You were invited to Parley as an agent of the account ${account}.`,
    request: "Choose your password here:",
    otherwise: "If you did not expect this invitation, ignore this message: nothing happens unless the link is used.",
  }),
  password_reset: (account) => ({
    subject: `New password for ${account} on Parley`,
    reason: `Somebody asked for a new password of your access to the account ${account} on Parley.`,
    request: "Choose a new password here:",
    otherwise:
      "If you did not ask for it, ignore this message: your password stays the same. If it happens again, tell an admin of the account.",
  }),
};

/** Control characters and line separators would end a header line or a paragraph. */
const singleLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").slice(0, 100);

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);

const TIME = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });

/** A message with a link: the subject, and the same text plain and as HTML. It loads nothing, so that nobody learns whether it was read. */
export const linkMessage = (mail: LinkMail): { subject: string; text: string; html: string } => {
  const { subject, reason, request, otherwise } = TEXTS[mail.purpose](singleLine(mail.account));
  const validity = `The link works once, until ${TIME.format(mail.expires)} UTC. Do not pass it on: whoever has it can sign in as you.`;
  const link = escaped(mail.link);
  const paragraphs = [reason, request].map((text) => `<p>${escaped(text)}</p>`);
  const rest = [validity, otherwise].map((text) => `<p>${escaped(text)}</p>`);
  return {
    subject,
    text: [reason, request, mail.link, validity, otherwise].join("\n\n") + "\n",
    html: [
      "<!doctype html>",
      '<html lang="en">',
      `<title>${escaped(subject)}</title>`,
      ...paragraphs,
      `<p><a href="${link}">${link}</a></p>`,
      ...rest,
      "</html>",
    ].join("\n"),
  };
};
