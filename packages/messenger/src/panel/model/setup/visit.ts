import type { MessengerConfiguration } from "@parley/contract";
import type { PanelOptions, ReportEvent, SitePage } from "../../../bridge/bridge.ts";
import { createApiClient, type ApiClient } from "../api/api-client.ts";
import { createApplyItems } from "../live/apply-items.ts";
import { createLive } from "../live/live.ts";
import { openTabChannel } from "../live/tab-channel.ts";
import { createOutbox, type Outbox } from "../outbox/outbox.ts";
import { createOutboxFiles } from "../outbox/outbox-files.ts";
import { createOutboxStorage } from "../outbox/outbox-storage.ts";
import { createTabIdentity } from "../outbox/tab-identity.ts";
import type { PanelState } from "../panel-model.ts";
import { siteConfigOf } from "../../config/site-config.ts";
import { createMessageSound, type MessageSound } from "./message-sound.ts";
import { followPageLife } from "./page-life.ts";
import { openPageStorage } from "../session/page-storage.ts";
import { createPreferences, type PreferenceStore } from "../session/preferences.ts";
import { panelUserOf } from "../session/profile.ts";
import { createSessionStore, storageKeyOf } from "../session/session-store.ts";
import { createSignedIdentity } from "./signed-identity.ts";
import { createVisitorSession, type VisitorSession } from "../session/visitor-session.ts";
import type { Store } from "../store.ts";
import { createActivity, type Activity } from "../threads/activity.ts";
import { createDrafts, type Drafts } from "../threads/drafts.ts";
import { createPageReport } from "../threads/page-report.ts";
import { withoutPerson } from "../threads/panel-state.ts";
import { createThreadLoader, type ThreadLoader } from "../threads/thread-loader.ts";

/** The messenger of one account at one site, in this page. */
export interface Visit {
  readonly api: ApiClient;
  readonly session: VisitorSession;
  readonly outbox: Outbox;
  readonly loader: ThreadLoader;
  readonly activity: Activity;
  readonly drafts: Drafts;
  readonly preferences: PreferenceStore;
  readonly sound: MessageSound;
  /** Takes the stored session and the identity that the site names. @errors RequestError */
  readonly start: (options: PanelOptions) => Promise<void>;
  /** @errors RequestError */
  readonly identify: (identity: {
    readonly externalId: string;
    readonly restoreId?: string | undefined;
  }) => Promise<void>;
  /** Takes a token that the site has signed. @errors RequestError */
  readonly authenticate: (signedToken: string) => Promise<void>;
  /** The panel has started: the state of the signed identity is reported from now on. */
  readonly reportIdentity: () => void;
  /** Forgets the person in all tabs. */
  readonly clear: () => Promise<void>;
  /** The site's page removes the panel. */
  readonly end: () => void;
}

interface VisitDeps {
  readonly state: Store<PanelState>;
  readonly configuration: MessengerConfiguration;
  /** Origin of the site's page. */
  readonly origin: string;
  readonly report: ReportEvent;
  readonly onSession: (hasSession: boolean) => void;
  /** -> the page of the site as it is now */
  readonly askPage: () => Promise<SitePage>;
  readonly onShown: (isShown: boolean) => void;
}

const newId = (): string =>
  // Pages without https have no randomUUID.
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export const createVisit = ({
  state,
  configuration,
  origin,
  report,
  onSession,
  onShown,
  askPage,
}: VisitDeps): Visit => {
  const { account } = configuration;
  const key = storageKeyOf(account, origin);
  const storage = openPageStorage(() => localStorage);
  const tabStorage = openPageStorage(() => sessionStorage);
  let namedExternalId: string | undefined;
  /** Whether the user of the session was there before the page. */
  let isReported = false;

  const store = createSessionStore({
    ...{ key, storage, newId },
    namedExternalId: () => namedExternalId,
    onChange(change) {
      if (change === "replaced") {
        session.forgetIdentity();
        forgetPerson();
      }
      session.load().catch(() => undefined);
    },
  });
  const generation = (): string | undefined => store.current()?.generation;
  const api = createApiClient({
    token: () => store.current()?.token,
    onUnauthenticated(token) {
      if (store.current()?.token !== token) return;
      store.forget();
      forgetPerson();
    },
    onSignatureRequired: () => identity.require(),
  });
  const identity = createSignedIdentity({
    ...{ state, report, onShown, policy: configuration.signed_identity, session: store.current },
    probe: () => api.call("getVisitor", {}),
    onChange(isUnsigned) {
      if (isUnsigned) live.stop();
      // Messages that have waited are sent, or shown as waiting.
      void outbox.resume();
    },
  });
  const drafts = createDrafts({
    storage: tabStorage,
    storageKey: key,
    generation: store.generation,
    currentGeneration: generation,
  });
  const preferences = createPreferences({
    ...{ storage, storageKey: key },
    generation: store.generation,
    currentGeneration: generation,
  });
  const sound = createMessageSound({
    isWanted: () => state.get().preferences.sound ?? siteConfigOf(state.get().options.config).hasSound,
    lockName: `${key} sound`,
  });
  /** Whether the visitor sees neither the panel nor, by now, the message elsewhere. */
  const isUnnoticed = (conversationId: string): boolean => {
    const { isOpen, conversations } = state.get();
    const unread = conversations.find(({ id }) => id === conversationId)?.unread_count ?? 0;
    return unread > 0 && (!isOpen || document.hidden);
  };
  const channel = openTabChannel(key, generation, (message) => {
    if (message.kind === "forget") forgetWithOtherTab();
    else if (message.kind === "read") activity.noteRead(message.conversationId, message.messageId);
    else live.receive(message);
  });
  const activity = createActivity({
    ...{ api, state, now: Date.now },
    onRead: (conversationId, messageId) => channel.send({ kind: "read", conversationId, messageId }),
  });
  const pageReport = createPageReport({ api, state, askPage });
  const tab = createTabIdentity(key, tabStorage, newId);
  const outbox = createOutbox({
    ...{ api, state, tab, newId },
    storage: createOutboxStorage(storage, key),
    files: createOutboxFiles(() => configuration),
    lockName: `${key} outbox`,
    ensureSession: () => session.ensure(),
    generation: store.generation,
    currentGeneration: generation,
    onSent(message) {
      report("message:sent", { success: true, data: { message } });
      pageReport.sent(message.conversation_id);
    },
    onSignatureRequired: identity.require,
  });
  const loader = createThreadLoader({ api, state, drafts, activity, outgoing: outbox.outgoing });
  const refresh = (): void => {
    if (store.current()?.token !== undefined) loader.refresh();
  };
  const live = createLive({
    ...{ api, channel },
    lockName: () => (store.isKept() ? `${key} stream ${generation()}` : undefined),
    onItems: createApplyItems({
      state,
      hold: outbox.hold,
      withRead: activity.withRead,
      onChange: loader.noteChange,
      onUnknownConversation: refresh,
      onReceived(message) {
        sound.announce(() => isUnnoticed(message.conversation_id));
        report("message:received", { success: true, data: { message } });
      },
      onResolved: (conversation) => report("conversation:resolved", { success: true, data: { conversation } }),
      onAgentRead: (conversationId, readTime) =>
        report("readReceipts:update", { success: true, data: { conversationId, readTime } }),
    }),
    onState(connection) {
      state.update((current) => ({ ...current, connection }));
      if (connection === "connected") report("rts:connected", { success: true, data: null });
      if (connection === "lost") report("rts:disconnected", { success: true, data: null });
    },
    onBegin: refresh,
  });

  function forgetPerson(): void {
    isReported = false;
    live.stop();
    outbox.forget();
    tab.forget();
    drafts.forget();
    preferences.forget();
    loader.forget();
    activity.forget();
    pageReport.forget();
    state.update((current) => withoutPerson({ ...current, isKept: store.isKept() }));
    onSession(false);
    report("user:statechange", { success: true, data: { userState: "unloaded" } });
    identity.forget();
  }
  /** Another tab has cleared the user: a session that only this page knows ends too. */
  function forgetWithOtherTab(): void {
    store.forgetKey();
    if (store.isKept()) return void store.check();
    void session.clear();
  }

  const session = createVisitorSession({
    ...{ api, store, account, origin },
    lockName: `${key} session`,
    visitor: () => state.get().visitor,
    onForget: forgetPerson,
    onVisitor(visitor, how) {
      state.update((current) => ({ ...current, visitor, isKept: store.isKept() }));
      if (how === "updated") return;
      onSession(true);
      // A signed identity has a state of its own.
      if (how !== "authenticated") report("user:statechange", { success: true, data: { userState: how } });
      if (how === "created") report("user:created", { success: true, status: 200, data: panelUserOf(visitor) });
      else if (!isReported) report("user:created", { success: true, status: 200, data: null });
      isReported = true;
      if (how === "loaded" || how === "authenticated") identity.accept(visitor);
      live.start();
      if (how === "loaded" || how === "restored" || how === "authenticated")
        loader.loadConversations().catch(() => undefined);
    },
  });

  const follow = followPageLife({
    storageKey: key,
    check: store.check,
    onStorageChange: store.check,
    onLeave() {
      live.stop();
      tab.end();
      if (store.isKept()) return;
      // The next page at this browser must not find a session that no other page can end.
      void session.clear();
    },
    onReturn(isSame) {
      tab.hold();
      if (!isSame || store.current()?.token === undefined) return;
      live.start();
      refresh();
    },
    onVisible: () => void outbox.resume(),
  });
  tab.hold();

  return {
    ...{ api, session, outbox, loader, activity, drafts, preferences, sound },
    async start({ externalId, restoreId, profile, signedToken }) {
      namedExternalId = externalId;
      await session.start(externalId === undefined ? undefined : { externalId, restoreId }, profile, signedToken);
      const hasSession = store.current()?.token !== undefined;
      onSession(hasSession);
      state.update((current) => ({ ...current, preferences: preferences.read() }));
      if (hasSession && !state.get().isUnsigned) await loader.loadConversations().catch(() => undefined);
      await outbox.resume();
    },
    identify(identity) {
      namedExternalId = identity.externalId;
      return session.identify(identity);
    },
    authenticate(signedToken) {
      namedExternalId = undefined;
      return session.authenticate(signedToken);
    },
    reportIdentity: identity.start,
    async clear() {
      namedExternalId = undefined;
      const cleared = session.clear();
      channel.send({ kind: "forget" });
      await cleared;
      report("user:cleared", { success: true, status: 200, data: null });
    },
    end() {
      follow.stop();
      identity.stop();
      live.stop();
      pageReport.stop();
      tab.end();
      channel.close();
      sound.stop();
    },
  };
};
