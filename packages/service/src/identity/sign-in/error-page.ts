import { FORBIDDEN, LINK_NOT_VALID, SIGN_IN_FAILED, SIGN_IN_PATH, TOO_MANY_SIGN_INS } from "@parley/contract";
import type { ErrorReply } from "../edge/error-reply.ts";
import { html } from "../../http/html.ts";
import { SIGN_IN_PAGE_HEADERS, type SignInShell } from "./page-shell.ts";

/** How long to wait, for people. @units seconds */
const waitText = (seconds: number): string =>
  seconds < 90 ? `${seconds} ${seconds === 1 ? "second" : "seconds"}` : `${Math.ceil(seconds / 60)} minutes`;

interface ErrorText {
  readonly title: string;
  readonly text: string;
}

const TEXTS: Readonly<Record<string, ErrorText>> = {
  [LINK_NOT_VALID.status]: {
    title: "This link can’t be used",
    text: "It is unknown, has expired or was used before: a link for signing in is valid once, and for 15 minutes. Ask for a new link where you got this link, or sign in with your password.",
  },
  [SIGN_IN_FAILED.status]: {
    title: "You can’t sign in",
    text: "This agent is not active. Ask an admin of the account.",
  },
};

const textOf = ({ problem, message, retryAfter }: ErrorReply): ErrorText => {
  if (problem.code === TOO_MANY_SIGN_INS.code)
    return {
      title: "Too many attempts",
      text: `Too many attempts to sign in failed. Try again ${retryAfter === undefined ? "later" : `in ${waitText(retryAfter)}`}.`,
    };
  const known = TEXTS[problem.status];
  if (known) return known;
  // The message names the right origin, which helps the operator of the service.
  if (problem === FORBIDDEN)
    return { title: "This request was refused", text: `Open the link again, and press its button. ${message}` };
  if (problem.code === 404)
    return { title: "There is no such page", text: "Check the address, or start from the sign-in." };
  return problem.code >= 500
    ? {
        title: "The service has a problem",
        text: "Try again in a moment. If it persists, tell the operator of this service.",
      }
    : { title: "This request can’t be handled", text: "Go back, and try again." };
};

/** -> the page for an error, with the headers of the pages */
export const signInErrorPage =
  (shell: SignInShell) =>
  (refusal: ErrorReply): { readonly headers: Readonly<Record<string, string>>; readonly text: string } => {
    const { title, text } = textOf(refusal);
    return {
      headers: SIGN_IN_PAGE_HEADERS,
      text: shell.plain(
        title,
        html`<p class="lead">${text}</p>
          <p class="after"><a href="${SIGN_IN_PATH}">Go to the sign-in</a></p>`,
      ),
    };
  };
