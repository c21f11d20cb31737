import type { PageStorage } from "./page-storage.ts";

/**
 * The session of this browser at one site. `generation` stands for one person at this browser: everything that is kept for the person
 * carries it, and is discarded when it differs.
 */
export interface StoredSession {
  readonly generation: string;
  /** Secret of the session. Absent before the first message. */
  readonly token?: string;
  /** The site's id of the user. */
  readonly externalId?: string;
  /** Until when the session has the identity that the site signed. */
  readonly signedUntil?: string;
  /** Secret from which the UUID derives that the site signs. */
  readonly browserKey?: string;
}

/** `begun`: another tab began the session of the same person, or signed it anew. `replaced`: the person at this browser changed. */
export type SessionChange = "begun" | "replaced";

export interface SessionStore {
  readonly current: () => StoredSession | undefined;
  /** Begins a generation if the browser has none. */
  readonly generation: () => string;
  /** Secret of this browser, in base64url. It is in memory until the browser has a session. */
  readonly browserKey: () => string;
  readonly save: (session: {
    readonly token: string;
    readonly externalId?: string | undefined;
    readonly signedUntil?: string | undefined;
  }) => void;
  /** Ends the generation. @shape keepsKey: the site has signed the next person, too, for this browser */
  readonly forget: (options?: { readonly keepsKey: boolean }) => void;
  /** Makes tokens useless that the site has signed for this browser. */
  readonly forgetKey: () => void;
  /** Compares the session with the stored one. -> whether it was the stored one, apart from its token */
  readonly check: () => boolean;
  /** Whether the browser keeps the session; otherwise it ends with the page. */
  readonly isKept: () => boolean;
}

/** Key of everything that is kept for an account at a site. @shape origin: of the site's page */
export const storageKeyOf = (account: string, origin: string): string => `parley-messenger ${account} ${origin}`;

/** -> undefined for a value that is not a session */
export const parseSession = (text: string | undefined): StoredSession | undefined => {
  try {
    const { generation, token, externalId, signedUntil, browserKey } = JSON.parse(text ?? "") as Record<
      string,
      unknown
    >;
    if (typeof generation !== "string") return undefined;
    return {
      generation,
      ...(typeof token === "string" && { token }),
      ...(typeof externalId === "string" && { externalId }),
      ...(typeof signedUntil === "string" && { signedUntil }),
      ...(typeof browserKey === "string" && { browserKey }),
    };
  } catch {
    return undefined;
  }
};

/** Whether a page whose site named the external id takes over a session that another tab began. */
const isOf = (session: StoredSession, externalId: string | undefined): boolean =>
  externalId === undefined || session.externalId === externalId;

/** 32 random bytes in base64url. */
const newKey = (): string =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace("=", "");

interface SessionStoreDeps {
  readonly key: string;
  readonly storage: PageStorage;
  readonly newId: () => string;
  /** -> the external id that the site's page named last */
  readonly namedExternalId: () => string | undefined;
  readonly onChange: (change: SessionChange) => void;
}

/**
 * States: none → generation → token → none. A page whose site named another user than the stored session is `detached`: it leaves the storage
 * alone, and its own session ends with the page.
 */
export const createSessionStore = (deps: SessionStoreDeps): SessionStore => {
  const { key, storage, newId, namedExternalId, onChange } = deps;
  const stored = (): StoredSession | undefined => parseSession(storage.get(key));
  let session = stored();
  let browserKey = session?.browserKey;
  let isDetached = false;
  let isKept = true;

  const write = (next: StoredSession): void => {
    session = { ...next, ...(browserKey !== undefined && { browserKey }) };
    if (!isDetached) isKept = storage.set(key, JSON.stringify(session));
  };
  const withId = (externalId: string | undefined) => (externalId === undefined ? {} : { externalId });
  const generation = (): string => {
    if (!session) write({ generation: newId(), ...withId(namedExternalId()) });
    return session?.generation ?? "";
  };

  return {
    current: () => session,
    generation,
    browserKey: () => (browserKey ??= newKey()),
    save: ({ token, externalId, signedUntil }) => {
      const signature = signedUntil === undefined ? {} : { signedUntil };
      write({ generation: generation(), token, ...withId(externalId), ...signature });
    },
    forget({ keepsKey } = { keepsKey: false }) {
      session = undefined;
      if (!keepsKey) browserKey = undefined;
      if (!isDetached) storage.remove(key);
    },
    forgetKey: () => void (browserKey = undefined),
    check() {
      if (isDetached) return true;
      const [now, before] = [stored(), session];
      const isSame = now?.generation === before?.generation;
      // The session of this tab, to which another tab can have added the id; or a generation that has no user yet.
      const isTaken = isSame && (before?.token !== undefined || now?.externalId === undefined);
      isDetached = now !== undefined && !isTaken && !isOf(now, namedExternalId());
      session = isDetached ? undefined : now;
      const isReplaced = before !== undefined && (!isSame || isDetached);
      // A key whose UUID this page has told its site stays in use until the person changes.
      browserKey = isReplaced ? session?.browserKey : (browserKey ?? session?.browserKey);
      const isUnchanged = now?.token === before?.token && now?.signedUntil === before?.signedUntil;
      if (isSame && !isDetached && isUnchanged) return true;
      onChange(isReplaced ? "replaced" : "begun");
      return isSame && !isDetached;
    },
    isKept: () => isKept && !isDetached,
  };
};
