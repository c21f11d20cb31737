import type { LinkMail } from "../authentication/sign-in/mail-port.ts";

interface PurposeText {
  readonly subject: string;
  readonly reason: string;
  readonly action: string;
  readonly unasked: string;
}

const TEXTS = {
  invitation: {
    subject: "Invitation to the account",
    reason: "You have been invited to sign in to the account",
    action: "Choose your password",
    unasked:
      "If you did not expect this invitation, ignore this message: without the link above nobody can use it. Do not forward it.",
  },
  password_reset: {
    subject: "New password for the account",
    reason: "A new password was requested for your sign-in to the account",
    action: "Choose a new password",
    unasked:
      "If you did not ask for it, ignore this message: your password stays as it is. Tell an admin of the account if this happens repeatedly.",
  },
} as const satisfies Readonly<Record<LinkMail["purpose"], PurposeText>>;

/** A text on one line: a line break in a header would begin another header. */
const oneLine = (text: string): string =>
  text
    .replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
    .slice(0, 255);

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");

/** @shape `2027-01-31 12:00 UTC` */
const timeText = (time: Date): string => `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** The message with a link. It contains no image and no other link, so that opening it tells nobody. */
export const linkMessage = ({ account, purpose, link, expires, to }: LinkMail) => {
  const { subject, reason, action, unasked } = TEXTS[purpose];
  const name = oneLine(account);
  const intro = `${reason} ${name} of Parley as ${oneLine(to)}.`;
  const validity = `The link is valid until ${timeText(expires)}, and once.`;
  const href = escapeHtml(link);
  return {
    subject: `${subject} ${name}`,
    text: [intro, "", `${action}:`, link, "", validity, "", unasked, ""].join("\n"),
    html: [
      "<!doctype html>",
      '<html lang="en"><head><meta charset="utf-8"></head><body>',
      `<p>${escapeHtml(intro)}</p>`,
      `<p><a href="${href}">${action}</a></p>`,
      `<p>${escapeHtml(validity)} If it can't be opened, copy this address into a browser:<br>${href}</p>`,
      `<p>${escapeHtml(unasked)}</p>`,
      "</body></html>",
      "",
    ].join("\n"),
  };
};
