import { sessionClient, type SessionClient, type SessionClientOptions } from "@parley/client/session";

/** Where the pages of the sign-in keep the second secret of the session. The first one is a cookie that scripts can't read. */
const TOKEN_KEY = "parley-session-token";

const storedToken = (): string | undefined => {
  try {
    return localStorage.getItem(TOKEN_KEY) ?? undefined;
  } catch {
    return undefined;
  }
};

const SIGN_IN_PATH = "/sign-in";

/** Opens the sign-in, which leads back to the page that is open now. */
export const openSignIn = (): void => {
  const next = encodeURIComponent(location.pathname + location.search);
  location.assign(`${SIGN_IN_PATH}?next=${next}`);
};

let isLeaving = false;

let noteRefusal = (): void => undefined;
/** Sets what is done when the service refuses a request that the page offered: the agent's role or scope is another one by now. */
export const onRefusal = (listener: () => void): void => {
  noteRefusal = listener;
};

/** How clients send requests of the signed-in agent. One that is refused because the session has ended opens the sign-in. */
export const sessionOptions: SessionClientOptions = {
  sessionToken: storedToken,
  onUnauthorized: () => {
    if (isLeaving) return;
    isLeaving = true;
    openSignIn();
  },
  fetch: async (...request) => {
    const response = await globalThis.fetch(...request);
    if (response.status === 403) noteRefusal();
    return response;
  },
};

/** The client of the signed-in agent. */
export const client: SessionClient = sessionClient(sessionOptions);

/** What the tab keeps about customers, such as recently opened ones, is not for the next agent. */
const forgetTab = (): void => {
  try {
    sessionStorage.clear();
  } catch {
    // Without storage nothing is kept.
  }
};

/** Ends the session and opens the sign-in. */
export const signOut = async (): Promise<void> => {
  isLeaving = true;
  await client.sessions.endSession().catch(() => undefined);
  localStorage.removeItem(TOKEN_KEY);
  forgetTab();
  location.assign(SIGN_IN_PATH);
};

/** Without a token there is no session: the sign-in opens before anything is requested. */
export const hasSession = (): boolean => storedToken() !== undefined;

/** A name that the tabs of one session share. It is derived from the token, and does not tell it. */
export const sessionName = (): string => {
  let hash = 0;
  for (const letter of storedToken() ?? "") hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) | 0;
  return `parley-session ${(hash >>> 0).toString(36)}`;
};

/** Another tab signed out or signed another agent in: what this page shows belongs to nobody. */
export const followOtherTabs = (): void =>
  addEventListener("storage", ({ key }) => {
    if (key !== TOKEN_KEY && key !== null) return;
    forgetTab();
    location.reload();
  });
