import type { Visitor } from "@parley/contract";
import type { PanelProfile } from "../../../bridge/bridge.ts";
import type { ApiClient } from "../api/api-client.ts";
import { isRefusedWith, isTemporary, RequestError } from "../api/request-error.ts";
import { createQueue, withLock } from "./exclusive.ts";
import { changedProfile, isEmptyProfile, mergedProfile } from "./profile.ts";
import type { SessionStore } from "./session-store.ts";

/** How the user of the session became known. */
type VisitorOrigin = "loaded" | "created" | "identified" | "restored" | "authenticated" | "updated";

interface SiteIdentity {
  readonly externalId: string;
  readonly restoreId?: string | undefined;
}

export interface VisitorSession {
  /** Takes the stored session, and the identity that the site's page names or has signed. */
  readonly start: (
    identity: SiteIdentity | undefined,
    profile: PanelProfile | undefined,
    signedToken: string | undefined,
  ) => Promise<void>;
  /** Begins a session if the visitor has none. -> its secret @errors RequestError */
  readonly ensure: () => Promise<string>;
  /** @errors RequestError */
  readonly identify: (identity: SiteIdentity) => Promise<void>;
  /** Takes a token that the site has signed. @errors RequestError */
  readonly authenticate: (signedToken: string) => Promise<void>;
  /** -> the UUID of this browser, for the site to sign @errors RequestError */
  readonly browserUuid: () => Promise<string>;
  /** Changes the user, or what a new user will have. @errors RequestError */
  readonly setProfile: (profile: PanelProfile) => Promise<void>;
  /** Reads the user of a session that another tab began. @errors RequestError */
  readonly load: () => Promise<void>;
  /** Ends the session and forgets the person. */
  readonly clear: () => Promise<void>;
  /** Forgets the identity that the site named, and the profile. */
  readonly forgetIdentity: () => void;
}

interface VisitorSessionDeps {
  readonly api: ApiClient;
  readonly store: SessionStore;
  readonly account: string;
  /** Origin of the site's page. */
  readonly origin: string;
  readonly lockName: string;
  readonly visitor: () => Visitor | undefined;
  readonly onVisitor: (visitor: Visitor, how: VisitorOrigin) => void;
  /** The person at this browser changed: all that is shown of the former one is removed. */
  readonly onForget: () => void;
}

/** A session that ended, or that another tab replaced, while a request was under way. */
const sessionReplaced = (): RequestError => new RequestError(401, "UNAUTHENTICATED", "The session was replaced.");

export const createVisitorSession = (deps: VisitorSessionDeps): VisitorSession => {
  const { api, store, account, origin, lockName, visitor: currentVisitor, onVisitor, onForget } = deps;
  const page = { account, origin };
  const inTurn = createQueue();
  let identity: SiteIdentity | undefined;
  let profile: PanelProfile = {};

  const endSession = (token: string): Promise<unknown> =>
    api.call("endVisitorSession", {}, { token, isLast: true }).catch(() => undefined);

  const forget = (options?: { readonly keepsKey: boolean }): void => {
    store.forget(options);
    onForget();
  };

  const save = (
    token: string,
    externalId: string | undefined,
    visitor: Visitor,
    how: VisitorOrigin,
    signedUntil?: string,
  ): void => {
    store.save({ token, externalId, signedUntil });
    onVisitor(visitor, how);
  };

  const begin = (): Promise<string> =>
    withLock(lockName, async () => {
      store.check();
      const known = store.current()?.token;
      if (known !== undefined) return known;
      const generation = store.generation();
      const externalId = identity?.externalId;
      const { token, visitor } = await api.call("beginVisitorSession", {
        body: {
          ...page,
          ...(externalId !== undefined && { external_id: externalId }),
          ...(!isEmptyProfile(profile) && { profile: { ...profile, properties: [...(profile.properties ?? [])] } }),
        },
      });
      if (store.current()?.generation !== generation) {
        void endSession(token);
        throw sessionReplaced();
      }
      save(token, externalId, visitor, "created");
      return token;
    });

  const ensure = async (): Promise<string> => store.current()?.token ?? inTurn(begin);

  /** A refused restore leaves the visitor as it is. @errors RequestError */
  const restore = async ({ externalId, restoreId = "" }: SiteIdentity): Promise<void> => {
    try {
      const body = { ...page, external_id: externalId, restore_id: restoreId };
      const { token, visitor } = await api.call("restoreVisitorSession", { body });
      if (store.current()) forget();
      save(token, externalId, visitor, "restored");
    } catch (error) {
      if (!isRefusedWith(error, "RESTORE_REFUSED", "VISITOR_BLOCKED", "SIGNED_IDENTITY_REQUIRED")) throw error;
      console.warn(`Messenger: the user was not restored. ${(error as RequestError).message}`);
    }
  };

  /** Identifies the anonymous user of a session. */
  const identifyCurrent = async (token: string, { externalId, restoreId }: SiteIdentity): Promise<void> => {
    const { identification, visitor, session } = await api.call("identifyVisitor", {
      body: { external_id: externalId, ...(restoreId !== undefined && { restore_id: restoreId }) },
    });
    if (store.current()?.token !== token) return;
    if (identification === "kept" && visitor) return save(token, externalId, visitor, "identified");
    forget();
    if (session) save(session.token, externalId, session.visitor, "restored");
  };

  const applyIdentity = async (named: SiteIdentity): Promise<void> => {
    identity = named;
    const session = store.current();
    if (session?.token !== undefined && session.externalId === undefined) return identifyCurrent(session.token, named);
    if (session?.externalId !== undefined && session.externalId !== named.externalId) {
      if (session.token !== undefined) void endSession(session.token);
      profile = {};
      forget();
    }
    if (named.restoreId && currentVisitor()?.restore_id !== named.restoreId) await restore(named);
  };

  const load = async (): Promise<void> => {
    const token = store.current()?.token;
    if (token === undefined) return;
    const visitor = await api.call("getVisitor", {});
    if (store.current()?.token === token) onVisitor(visitor, "loaded");
  };

  const update = async (added: PanelProfile): Promise<void> => {
    const visitor = currentVisitor();
    const token = store.current()?.token;
    profile = mergedProfile(profile, added);
    if (token === undefined) return;
    const { properties, ...fields } = visitor ? changedProfile(visitor, added) : added;
    if (isEmptyProfile({ ...fields, ...(properties && { properties }) })) return;
    const body = { ...fields, ...(properties && { properties: [...properties] }) };
    const changed = await api.call("updateVisitor", { body });
    if (store.current()?.token === token) onVisitor(changed, "updated");
  };

  const authenticate = (signedToken: string): Promise<void> =>
    withLock(lockName, async () => {
      store.check();
      const former = store.current()?.token;
      const browser_key = store.browserKey();
      const generation = store.generation();
      const { token, visitor, signed_until } = await api.call("beginSignedSession", {
        body: {
          ...page,
          signed_token: signedToken,
          browser_key,
          ...(former !== undefined && { session_token: former }),
        },
      });
      store.check();
      if (store.current()?.generation !== generation) {
        void endSession(token);
        throw sessionReplaced();
      }
      const isOther = former !== undefined && former !== token && visitor.user_id !== currentVisitor()?.user_id;
      // The signature says who it is: what the page has named does not count any more.
      identity = undefined;
      if (isOther) {
        profile = {};
        forget({ keepsKey: true });
      }
      save(token, visitor.external_id, visitor, "authenticated", signed_until);
      if (former === undefined && !isEmptyProfile(profile)) await update(profile).catch(() => undefined);
    });

  /** A refused token leaves the visitor as it is. -> whether it was accepted @errors RequestError */
  const tryToken = async (signedToken: string): Promise<boolean> => {
    try {
      await authenticate(signedToken);
      return true;
    } catch (error) {
      if (isTemporary(error)) throw error;
      console.warn(`Messenger: the visitor was not signed in. ${(error as Error).message}`);
      return false;
    }
  };

  return {
    start: (named, given, signedToken) =>
      inTurn(async () => {
        if (signedToken !== undefined && (await tryToken(signedToken))) {
          if (given) await update(given);
          return;
        }
        const session = store.current();
        const isOther = named && session?.externalId !== undefined && session.externalId !== named.externalId;
        // Nothing of another person's session is read.
        if (!isOther) await load().catch((error: unknown) => ignoreUnauthenticated(error));
        if (named) await applyIdentity(named).catch((error: unknown) => ignoreUnauthenticated(error));
        if (given) await update(given).catch((error: unknown) => ignoreUnauthenticated(error));
      }),
    ensure,
    identify: (named) => inTurn(() => applyIdentity(named)),
    authenticate: (signedToken) => inTurn(() => authenticate(signedToken)),
    async browserUuid() {
      const { uuid } = await api.call("deriveBrowserUuid", { body: { browser_key: store.browserKey() } });
      return uuid;
    },
    setProfile: (added) => inTurn(() => update(added)),
    load: () => inTurn(load),
    async clear() {
      const token = store.current()?.token;
      identity = undefined;
      profile = {};
      forget();
      if (token !== undefined) await endSession(token);
    },
    forgetIdentity() {
      identity = undefined;
      profile = {};
    },
  };
};

/** The session of an earlier visit, or its signed identity, has ended: the visitor goes on without it. */
function ignoreUnauthenticated(error: unknown): void {
  if (!isRefusedWith(error, "UNAUTHENTICATED", "SIGNED_IDENTITY_REQUIRED")) throw error;
}
