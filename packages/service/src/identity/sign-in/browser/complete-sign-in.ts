import type { SignInResult } from "@parley/contract";
import { IdentityRequestError } from "./identity-request.ts";
import { nextPathOf } from "./next-path.ts";
import { addressOf, homePath, signInPath } from "./page-elements.ts";
import { rememberAccount, storeSessionToken } from "./session-token.ts";

/** The path that the address of this page names for after the sign-in. */
export const requestedNextPath = (): string | undefined => nextPathOf(new URLSearchParams(location.search).get("next"));

export const openNextPage = (): void => location.replace(requestedNextPath() ?? homePath());

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

/** Opens the sign-in. @shape reason: shown there; absent without a reason; next: the path to return to */
export const openSignIn = (
  reason: "signed-out" | "ended" | undefined,
  query: { readonly next?: string; readonly account?: string } = {},
): void => location.replace(addressOf(signInPath(), query) + (reason === undefined ? "" : `#${reason}`));
