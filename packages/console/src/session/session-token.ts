/** The second secret of the session, in the storage that all pages of this origin share. The first one is a cookie that scripts can't read. */
const TOKEN_KEY = "parley-session-token";
/** The account of the last sign-in, with which the form begins. */
const ACCOUNT_KEY = "parley-account";

/** Storage that is turned off throws. */
const attempt = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch {
    return undefined;
  }
};

export const storedSessionToken = (): string | undefined => attempt(() => localStorage.getItem(TOKEN_KEY)) ?? undefined;

/** -> false if the browser stores nothing for this site */
export const storeSessionToken = (token: string): boolean =>
  attempt(() => {
    localStorage.setItem(TOKEN_KEY, token);
    return true;
  }) ?? false;

/** Removes the token after a sign-out, unless another tab signed in meanwhile. The pages of other tabs, too, end then. */
export const removeSessionToken = (token: string | undefined): void =>
  attempt(() => {
    if (localStorage.getItem(TOKEN_KEY) === (token ?? null)) localStorage.removeItem(TOKEN_KEY);
  });

/** Calls the listener when another tab signs in or out. @shape token: undefined after a sign-out */
export const onOtherTabSession = (listener: (token: string | undefined) => void): void =>
  addEventListener("storage", ({ key }) => {
    // The key is null when the whole storage was cleared.
    if (key === TOKEN_KEY || key === null) listener(storedSessionToken());
  });

export const lastAccount = (): string => attempt(() => localStorage.getItem(ACCOUNT_KEY)) ?? "";
export const rememberAccount = (account: string): void => attempt(() => localStorage.setItem(ACCOUNT_KEY, account));
