import type { MessengerConfiguration } from "@parley/contract";
import type { ReportEvent, SitePage } from "../../../bridge/bridge.ts";
import { createApiClient } from "../api/api-client.ts";
import { failureOf } from "../api/failure.ts";
import { isRefusedWith, isTemporary, RequestError } from "../api/request-error.ts";
import { WIRE } from "../contract-values.ts";
import { openPageStorage } from "../session/page-storage.ts";
import { storageKeyOf } from "../session/session-store.ts";
import { CONSENT_REQUIRED, consentMissing, createConsent, type Consent } from "./consent.ts";
import { createPanelActions } from "./panel-actions.ts";
import type { PanelModel, PanelState } from "../panel-model.ts";
import { connectParent, type ParentPort } from "./parent-port.ts";
import { createSiteCalls } from "./site-calls.ts";
import { createStore } from "../store.ts";
import { INITIAL_STATE } from "../threads/panel-state.ts";
import { createVisit, type Visit } from "./visit.ts";

/** Age at which the business hours of the configuration are read again when the panel is opened. @units milliseconds */
const CONFIGURATION_AGE_MS = 300_000;

/** Connects to the site's page and loads the messenger of its account. */
export const createPanelModel = (): PanelModel => {
  const state = createStore<PanelState>(INITIAL_STATE);
  const search = new URLSearchParams(location.search);
  const publicApi = createApiClient({
    token: () => undefined,
    onUnauthenticated: () => undefined,
    onSignatureRequired: () => undefined,
  });
  let parent: ParentPort | undefined;
  let visit: Visit | undefined;
  let consent: Consent | undefined;
  let configuredAt = 0;
  let started: Promise<Visit>;

  const send: ParentPort["send"] = (message) => parent?.send(message);
  const report: ReportEvent = (event, data) => send({ event, data } as Parameters<ParentPort["send"]>[0]);

  /** The page contains the configuration for its own query, which saves a request at the start. */
  let embedded = document.querySelector(`#${WIRE.dataId}`)?.textContent;
  const takeEmbedded = (query: {
    readonly locale: string;
    readonly tags?: string;
  }): MessengerConfiguration | undefined => {
    const isAsked = search.get("locale") === query.locale && search.get("tags") === (query.tags ?? null);
    const json = isAsked && embedded;
    embedded = undefined;
    return json ? (JSON.parse(json) as MessengerConfiguration) : undefined;
  };

  let takePage: ((page: SitePage) => void) | undefined;
  const askPage = (): Promise<SitePage> =>
    new Promise((resolve) => {
      takePage = resolve;
      send({ asks: "page" });
    });

  const loadConfiguration = async (): Promise<void> => {
    const { locale, tags } = state.get().options;
    const [account, alias] = [search.get("account"), search.get("alias")];
    const query = {
      ...(account !== null && { account }),
      ...(alias !== null && { alias }),
      ...(parent && { origin: parent.origin }),
      locale: locale ?? navigator.languages.join(),
      ...(tags && tags.length > 0 && { tags: tags.join(",") }),
    };
    const configuration = takeEmbedded(query) ?? (await publicApi.call("getMessengerConfiguration", { query }));
    configuredAt = Date.now();
    state.update((current) => ({ ...current, configuration }));
    send({ look: configuration.look });
  };

  const openVisit = (): Visit => {
    const { configuration } = state.get();
    if (!configuration || !parent) throw new Error("The configuration is missing.");
    return (visit ??= createVisit({
      ...{ state, configuration, report, origin: parent.origin, askPage },
      onSession: (hasSession) => send({ hasSession }),
      onShown: (isShown) => send({ isShown }),
    }));
  };
  const openConsent = (): Consent => {
    const { configuration } = state.get();
    return (consent ??= createConsent({
      storage: openPageStorage(() => localStorage),
      storageKey: storageKeyOf(configuration?.account ?? "", parent?.origin ?? ""),
      state: state.get,
      onChange: () => applyConsent(),
    }));
  };

  const start = async (): Promise<Visit> => {
    try {
      state.update((current) => ({ ...current, phase: "loading" }));
      await loadConfiguration();
      if (state.get().options.preview) {
        const { startPreview } = await import("../preview/preview.ts");
        startPreview(state);
        return await new Promise<never>(() => undefined);
      }
      if (state.get().options.hasConsent === false && openConsent().hasStored()) await clear();
      // Without consent there is no visit, which is what stores and sends.
      if (!openConsent().isGiven()) throw consentMissing();
      const opened = openVisit();
      await opened.start(state.get().options);
      state.update(({ failure: _failure, options: { signedToken: _token, ...options }, ...current }) => ({
        ...{ ...current, options, phase: "ready" },
      }));
      report("frame:statechange", { success: true, data: { frameState: "loaded" } });
      opened.reportIdentity();
      return opened;
    } catch (error) {
      if (isRefusedWith(error, CONSENT_REQUIRED)) {
        state.update((current) => ({ ...current, phase: "consent" }));
        throw error;
      }
      const phase = isTemporary(error) ? "unreachable" : "refused";
      const failure = failureOf(error, "unreachable");
      state.update((current) => ({ ...current, phase, failure }));
      if (error instanceof RequestError) console.warn(`Messenger: ${error.message}`);
      throw error;
    }
  };
  const begin = (work = start()): void => {
    started = work;
    started.catch(() => undefined);
  };

  /** Begins when the visitor or the page has consented, and ends what needs consent when it was withdrawn. */
  const applyConsent = (): void => {
    const { phase } = state.get();
    const isGiven = openConsent().isGiven();
    if (phase === "consent" && isGiven) begin();
    if (phase !== "ready" || isGiven) return;
    state.update((current) => ({ ...current, phase: "consent" }));
    begin(Promise.reject(consentMissing()));
  };
  const clear = async (): Promise<void> => {
    openConsent().forget();
    await openVisit().clear();
    applyConsent();
  };

  const actions = createPanelActions({
    ...{ state, report, send },
    visit: () => visit,
    retryStart: () => parent && begin(),
    agree() {
      openConsent().give();
      applyConsent();
    },
  });

  /** Reports the number of unread messages, and reads business hours again when the panel is opened later. */
  let [unreadCount, isOpen] = [0, false];
  state.follow(() => {
    const now = state.get();
    if (now.unreadCount !== unreadCount) {
      unreadCount = now.unreadCount;
      report("unreadCount:notify", { count: unreadCount });
    }
    const isOpened = now.isOpen && !isOpen;
    isOpen = now.isOpen;
    if (isOpened && now.phase === "ready" && Date.now() - configuredAt > CONFIGURATION_AGE_MS)
      loadConfiguration().catch(() => undefined);
  });

  void connectParent().then((connected) => {
    parent = connected;
    state.update((current) => ({
      ...current,
      options: connected.options,
      isOpen: window.parent === window,
      isFocused: window.parent === window,
    }));
    begin();
    connected.onCall(
      createSiteCalls({
        ...{ state, actions, loadConfiguration, send, clear, applyConsent },
        onPage: (page) => takePage?.(page),
        started: () => started,
        visit: () => visit,
      }),
    );
  });

  return { state: state.get, follow: state.follow, actions };
};
