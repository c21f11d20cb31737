import type {
  FromPanel,
  PanelCallName,
  PanelCalls,
  PanelOptions,
  PanelUser,
  SitePage,
  ToPanel,
} from "../../../bridge/bridge.ts";
import { isRefusedWith, RequestError } from "../api/request-error.ts";
import { WIRE } from "../contract-values.ts";
import type { PanelActions, PanelState } from "../panel-model.ts";
import { createQueue } from "../session/exclusive.ts";
import { mergedProfile, panelUserOf } from "../session/profile.ts";
import type { Store } from "../store.ts";
import { CONSENT_REQUIRED } from "./consent.ts";
import type { Visit } from "./visit.ts";

type Handlers = {
  readonly [Name in PanelCallName]: (argument: PanelCalls[Name]["argument"]) => Promise<PanelCalls[Name]["result"]>;
};

interface SiteCallsDeps {
  readonly state: Store<PanelState>;
  readonly actions: Pick<PanelActions, "openTopic" | "setDraft">;
  /** Resolves when the panel has started. @errors RequestError when the messenger is not available */
  readonly started: () => Promise<Visit>;
  readonly visit: () => Visit | undefined;
  readonly loadConfiguration: () => Promise<void>;
  /** Forgets the person, also before the visitor has consented. */
  readonly clear: () => Promise<void>;
  /** The page has given or withdrawn its consent. */
  readonly applyConsent: () => void;
  readonly send: (message: FromPanel) => void;
  /** The page that was asked for. */
  readonly onPage: (page: SitePage) => void;
}

const noUser = (): RequestError =>
  new RequestError(404, "NOT_FOUND", "The visitor has no user yet. A user is created with the first message.");

/** Without what would make the service refuse the message that begins the conversation. */
const sendable = (properties: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name, value]) => name.startsWith("cf_") && value.length <= WIRE.textCharactersMax)
      .slice(0, WIRE.propertiesMax),
  );

/** Answers the calls of the script in the site's page. */
export const createSiteCalls = (deps: SiteCallsDeps) => {
  const { state, actions, started, visit, loadConfiguration, clear, applyConsent, send, onPage } = deps;
  const inTurn = createQueue();
  const setOptions = (options: PanelOptions): void =>
    state.update((current) => ({ ...current, options: { ...current.options, ...options } }));
  const user = (): PanelUser | null => {
    const { visitor } = state.get();
    return visitor ? panelUserOf(visitor) : null;
  };

  /** Resolves when the panel has started, or waits for the visitor's consent. -> whether it has started */
  const startedOrWaits = (): Promise<boolean> =>
    started().then(
      () => true,
      (error: unknown) => {
        if (isRefusedWith(error, CONSENT_REQUIRED)) return false;
        throw error;
      },
    );
  const whenReady = (): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (state.get().phase !== "ready") return;
        stop();
        resolve();
      };
      const stop = state.follow(check);
      check();
    });

  const handlers: Handlers = {
    async setOptions(options) {
      setOptions(options);
      if (options.preview) return null;
      if (options.hasConsent !== undefined) {
        await startedOrWaits();
        if (options.hasConsent) applyConsent();
        else await clear();
        return null;
      }
      const { session, identify } = await started();
      if ("locale" in options || "tags" in options) await loadConfiguration();
      const { externalId, restoreId, profile } = options;
      if (externalId !== undefined) await identify({ externalId, restoreId });
      if (profile) await session.setProfile(profile);
      return null;
    },
    async opened({ topic, replyText, isFocused }) {
      state.update((current) => ({ ...current, isOpen: true, isFocused }));
      if (topic === undefined && replyText === undefined) return null;
      if (!(await startedOrWaits())) await whenReady();
      const { topics = [] } = state.get().configuration ?? {};
      const name = topic?.toLowerCase();
      const named = topics.find((each) => each.id === topic || each.name.toLowerCase() === name);
      const only = topics.length === 1 ? topics[0] : undefined;
      const isShown = state.get().place.kind === "thread";
      const found = named ?? (isShown ? undefined : only);
      if (found) actions.openTopic(found.id);
      const { place } = state.get();
      if (replyText !== undefined && place.kind === "thread") actions.setDraft(place.key, replyText);
      return null;
    },
    closed() {
      state.update((current) => ({ ...current, isOpen: false }));
      return Promise.resolve(null);
    },
    async getUser() {
      await startedOrWaits();
      const found = user();
      if (!found) throw noUser();
      return found;
    },
    async getUuid() {
      const { session } = await started();
      return { uuid: user()?.uuid ?? (await session.browserUuid()) };
    },
    async authenticate(signedToken) {
      // A token that is given before the consent is used after it.
      if (!(await startedOrWaits())) setOptions({ signedToken });
      await (await started()).authenticate(signedToken);
      const found = user();
      if (!found) throw noUser();
      return found;
    },
    async setProfile(profile) {
      setOptions({ profile: mergedProfile(state.get().options.profile ?? {}, profile) });
      const { session } = await started();
      await session.setProfile(profile);
      await session.ensure();
      const found = user();
      if (!found) throw noUser();
      return found;
    },
    async identify(identity) {
      setOptions(identity);
      await (await started()).identify(identity);
      return user();
    },
    async clearUser() {
      await startedOrWaits();
      await clear();
      return null;
    },
    setConversationProperties(values) {
      state.update((current) => ({
        ...current,
        conversationProperties: sendable({ ...current.conversationProperties, ...values }),
      }));
      return Promise.resolve(null);
    },
    setPage(page) {
      onPage(page);
      return Promise.resolve(null);
    },
    destroy() {
      visit()?.end();
      return Promise.resolve(null);
    },
  };

  const answer = async ({ id, call, argument }: ToPanel): Promise<void> => {
    try {
      const handle = handlers[call] as (argument: unknown) => Promise<unknown>;
      send({ id, status: 200, data: await handle(argument) });
    } catch (error) {
      const status = (error instanceof RequestError && error.code) || 503;
      send({ id, status, message: error instanceof Error ? error.message : String(error) });
    }
  };

  /** Calls about the frame don't wait for those about the user. */
  const IMMEDIATE: readonly PanelCallName[] = ["opened", "closed", "setPage", "destroy"];
  return (call: ToPanel): void => {
    if (IMMEDIATE.includes(call.call)) void answer(call);
    else void inTurn(() => answer(call));
  };
};
