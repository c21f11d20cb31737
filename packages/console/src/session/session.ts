import { sessionClient, type SessionClient, type SessionClientOptions } from "@parley/client/session";
import { onOtherTabSession, removeSessionToken, storedSessionToken, storeSessionToken } from "./session-token.ts";
import { createStore } from "../state/store.ts";

const SIGN_IN_PATH = "/sign-in";

/** -> the address of the sign-in, which leads back to the page that is open now */
export const signInAddress = (): string =>
  `${SIGN_IN_PATH}?next=${encodeURIComponent(location.pathname + location.search)}`;

let isLeaving = false;
/** Whether another page is being opened since this one may not be shown any longer. */
export const isLeavingPage = (): boolean => isLeaving;

/** Opens the sign-in in place of this page. */
export const leaveForSignIn = (): void => {
  isLeaving = true;
  location.assign(signInAddress());
};

/** The agent whose page this is. It stays the same as long as the page is open. */
export interface PageAgent {
  readonly account: string;
  readonly agent_id: string;
  readonly email: string;
}
/** Undefined until the service has told who is signed in: from then on the page stays open when the session ends. */
let pageAgent: PageAgent | undefined;
let onPageAgent = (): void => undefined;
export const currentPageAgent = (): PageAgent | undefined => pageAgent;

export const setPageAgent = ({ account, agent_id, email }: PageAgent): void => {
  const isFirst = pageAgent === undefined;
  pageAgent = { account, agent_id, email };
  if (isFirst) onPageAgent();
};

/** Sets the function that is called when the agent of this page is known. */
export const whenPageAgentIsKnown = (listener: () => void): void => {
  onPageAgent = listener;
};

/**
 * The session of the page: open → ended → open, when the same agent has signed in again; another agent's sign-in reloads the page. Requests that
 * an ended session refuses wait, and are sent again when the session is open.
 */
export const isSessionEnded = createStore(false);

/** The token of the page's agent. That of another agent, who signed in in another tab, is not used: the page's requests are not theirs. */
let token = storedSessionToken();

const untilSessionIsOpen = (): Promise<void> =>
  new Promise((resolve) => {
    const end = isSessionEnded.subscribe(() => {
      if (isSessionEnded.get()) return;
      end();
      resolve();
    });
  });

let noteRefusal = (): void => undefined;
/** Sets the function that is called when the service refuses a request that the page offered: the agent's role or scope has changed. */
export const onRefusal = (listener: () => void): void => {
  noteRefusal = listener;
};

/** Browsers send at most 64 KiB of requests that outlive their page. @units characters */
const KEEPALIVE_BODY_MAX = 8_192;
/** A short request that stores something is completed even if the window is closed. */
const outlivesPage = ({ method = "GET", body }: RequestInit): boolean =>
  method !== "GET" &&
  (body === undefined || body === null || (typeof body === "string" && body.length <= KEEPALIVE_BODY_MAX));

/** How clients send requests of the signed-in agent. */
export const sessionOptions: SessionClientOptions = {
  sessionToken: () => token,
  onUnauthorized: async () => {
    if (isLeaving) return;
    // Nothing is shown yet that could be lost.
    if (!pageAgent) return leaveForSignIn();
    isSessionEnded.set(true);
    await untilSessionIsOpen();
  },
  fetch: async (address, init = {}) => {
    const response = await globalThis.fetch(address, { ...init, keepalive: outlivesPage(init) });
    if (response.status === 403) noteRefusal();
    return response;
  },
};

/** The client of the signed-in agent. */
export const client: SessionClient = sessionClient(sessionOptions);

/** Data that the tab keeps about customers, such as recently opened customers, must not reach the next agent. */
const forgetTab = (): void => {
  try {
    sessionStorage.clear();
  } catch {
    // Without storage nothing is kept.
  }
};

/** Ends the session and opens the sign-in. */
export const endSession = async (): Promise<void> => {
  isLeaving = true;
  await client.sessions.endSession().catch(() => undefined);
  removeSessionToken(storedSessionToken());
  forgetTab();
  location.assign(SIGN_IN_PATH);
};

/** Without a token there is no session: the sign-in opens before anything is requested. */
export const hasSession = (): boolean => token !== undefined;

/** A name that the tabs of one session share. It is derived from the token, and does not tell it. */
export const sessionName = (): string => {
  let hash = 0;
  for (const letter of token ?? "") hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) | 0;
  return `parley-session ${(hash >>> 0).toString(36)}`;
};

const leaveToReload = (): void => {
  isLeaving = true;
  forgetTab();
  location.reload();
};

/** Goes on with a new session if it is one of the page's agent. @errors those of the service: whose session it is remains unknown */
const resumeSession = async (next: string): Promise<void> => {
  if (next === token) return;
  const { account, agent_id } = await sessionClient({ sessionToken: () => next }).sessions.getSession();
  if (account !== pageAgent?.account || agent_id !== pageAgent.agent_id) return leaveToReload();
  token = next;
  isSessionEnded.set(false);
};

/** Stores a session that began in this tab, and goes on with it. */
export const beginSession = async (next: string): Promise<void> => {
  storeSessionToken(next);
  await resumeSession(next);
};

/** Follows what other tabs do: a sign-out, and a new session, which is another agent's or the same one's. */
export const followOtherTabs = (): void =>
  onOtherTabSession((next) => {
    // No signed-in agent owns the data of this page.
    if (next === undefined || !pageAgent) return leaveToReload();
    resumeSession(next).catch(() => isSessionEnded.set(true));
  });
