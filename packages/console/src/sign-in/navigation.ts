import type { SignInResult } from "@parley/contract";
import { HOME_PATH } from "./contract-values.ts";
import { metaOf } from "./dom.ts";
import { IdentityRequestError } from "./request.ts";
import { rememberAccount, storeSessionToken } from "../session/session-token.ts";

/** Address of a page with a query; empty values are left out. */
export const addressOf = (path: string, query: Readonly<Record<string, string>>): string => {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return text === "" ? path : `${path}?${text}`;
};

/** The path that the address of this page names for after the sign-in, as the service has checked it; "" for none. */
export const requestedNextPath = (): string => metaOf("next");

export const openNextPage = (): void => location.replace(requestedNextPath() || HOME_PATH);

/** Stores a new session and opens the next page. @errors IdentityRequestError if the browser stores nothing */
export const completeSignIn = ({ session, session_token }: SignInResult): void => {
  if (session) rememberAccount(session.account);
  if (session_token === undefined || !storeSessionToken(session_token))
    throw new IdentityRequestError(
      "NOT_STORED",
      "The browser stores nothing for this site. Allow it in the settings of the browser, and sign in again.",
    );
  openNextPage();
};

/** The page that ends a sign-in by a link or an identity provider: stores the session token and opens the next page. */
export const handOverPage = (token: string): void => {
  const status = document.querySelector("[role=status]");
  const isStored = storeSessionToken(token);
  if (status)
    status.textContent = isStored
      ? "Opening the next page…"
      : "The browser stores nothing for this site, which the pages for agents need. Allow it in the settings of the browser, and sign in again.";
  // Replaces this page in the history: its form can't be sent again.
  if (isStored) openNextPage();
};
