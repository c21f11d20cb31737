import type { ShownLook } from "@parley/contract";
import type { MessengerEventName } from "../../types/index.d.ts";
import type { ButtonTexts, PanelCallName, PanelCalls, PanelOptions } from "../bridge/bridge.ts";
import { pageQuery, readConfiguration } from "./configuration.ts";
import { PANEL_PATH } from "./contract-values.ts";
import type { Events } from "./events.ts";
import { createPageView } from "./page-view.ts";
import { createPanelConnection, type PanelNotice } from "./panel-connection.ts";
import { failure, OK, type Reply } from "./replies.ts";
import { createSessionFlag } from "./session-flag.ts";
import {
  mergeConfig,
  mergeProfiles,
  objectOf,
  type SiteObject,
  type SiteOptions,
  type SiteProperties,
} from "./site-options.ts";

/** What a page opens. */
export interface OpenTarget {
  readonly topic?: string | undefined;
  readonly replyText?: string | undefined;
}

/**
 * The messenger between `init` and `destroy`. It asks the service for its configuration and shows the button. The panel is loaded when it is opened, when
 * a call needs it, or when there may be news for the visitor: this browser has a session, or the page has the secret of one.
 * @assumed `eagerLoad: true` loads the panel with the page. `eagerLoad: false` sends no request before the first opening or call that needs the panel.
 */
export const createMessenger = (options: SiteOptions, events: Events) => {
  let { panel } = options;
  let admission: "asked" | "admitted" | "refused" = "asked";
  let [isOpen, isHidden, isWanted, isLoading, isLoaded, isDestroyed] = [
    false,
    false,
    options.opensAtOnce,
    false,
    false,
    false,
  ];
  /** Whether the account shows the messenger to this visitor. */
  let isShown = true;
  let target: OpenTarget & { readonly isFocused: boolean } = { isFocused: false };
  let unreadCount = 0;
  let texts: ButtonTexts = {};
  let conversationProperties: Readonly<Record<string, string>> = {};
  const aborting = new AbortController();
  const { signal } = aborting;
  const flag = createSessionFlag([options.base, options.account, options.alias].filter(Boolean).join(" "));

  const emit = (name: MessengerEventName, payload?: unknown): void => {
    if (panel.config["disableEvents"] !== true) events.emit(name, payload);
  };

  const view = createPageView(
    options.nonce,
    {
      onPress: () => (isOpen ? close() : open({})),
      // A pointer or the keyboard reaches the button: the panel is ready by the click.
      onApproach: () => load(),
    },
    signal,
  );
  const connection = createPanelConnection({
    base: options.base,
    frameWindow: view.frameWindow,
    options(): PanelOptions {
      const given = panel;
      // A panel that is loaded again must not return to a former person.
      panel = { ...panel, signedToken: undefined };
      return given;
    },
    onConnect: () => {
      render();
      if (isOpen) showPanel();
    },
    onTimeout: () => {
      isLoading = false;
    },
    onNotice: (notice) => receive(notice),
    signal,
  });

  const render = (): void =>
    view.show({
      ...{ config: panel.config, look: panel.look, isOpen, isHidden, unreadCount, texts },
      isShown: admission === "admitted" && isShown,
      isConnected: connection.isConnected(),
    });

  const load = (): void => {
    if (isLoading || isDestroyed || admission !== "admitted") return;
    isLoading = true;
    view.load(
      `${options.base}${PANEL_PATH}?${pageQuery(options, panel)}`,
      view.labelOf(panel.config, panel.look, texts),
    );
    connection.expect();
    if (Object.keys(conversationProperties).length > 0)
      void connection.call("setConversationProperties", conversationProperties);
    conversationProperties = {};
  };

  const showPanel = (): void => {
    if (target.isFocused) view.focusFrame();
    void connection.call("opened", target);
    // The text and the topic of one opening don't belong to a panel that is loaded again.
    target = { isFocused: false };
  };

  const show = (): void => {
    view.attach();
    load();
    isHidden = false;
    const wasOpen = isOpen;
    isOpen = true;
    render();
    if (!wasOpen) emit("widget:opened");
    if (connection.isConnected()) showPanel();
  };

  const open = (next: OpenTarget): void => {
    // A page that opens by itself must not take the focus from what its visitor does.
    target = { ...next, isFocused: globalThis.navigator.userActivation?.isActive !== false };
    isWanted = true;
    if (admission === "admitted" && isShown) show();
  };

  const close = (): void => {
    isWanted = false;
    if (!isOpen) return;
    isOpen = false;
    render();
    if (connection.isConnected()) void connection.call("closed", null);
    emit("widget:closed");
  };

  const showLook = (look: ShownLook): void => {
    panel = { ...panel, look };
    render();
  };

  const receive = (notice: PanelNotice): void => {
    if ("request" in notice) return close();
    if ("asks" in notice)
      return void connection.call("setPage", { url: location.origin + location.pathname, title: view.pageTitle() });
    if ("hasSession" in notice) return flag.write(notice.hasSession);
    if ("button" in notice) {
      texts = notice.button;
      return render();
    }
    if ("look" in notice) return showLook(notice.look);
    if ("isShown" in notice) {
      isShown = notice.isShown;
      if (!isShown && isOpen) close();
      if (isShown && isWanted) show();
      return render();
    }
    if (!("event" in notice)) return;
    if (notice.event === "unreadCount:notify") {
      unreadCount = notice.data.count;
      render();
    }
    emit(notice.event, notice.data);
  };

  /** @shape configuration: MessengerConfiguration of the contract, unchecked */
  const start = (configuration: SiteObject): void => {
    admission = "admitted";
    texts = objectOf(configuration["button"]);
    const policy = objectOf(configuration["signed_identity"]);
    isShown = policy["is_hidden_until_signed"] !== true;
    isLoaded = true;
    showLook(objectOf(configuration["look"]));
    // Pages with a button of their own wait for this state, and open the messenger then.
    emit("frame:statechange", { success: true, data: { frameState: "initialized" } });
    emit("widget:loaded");
    if (typeof options.onLoad === "function") (options.onLoad as () => unknown)();
    const { eagerLoad } = panel.config;
    if (isWanted && isShown) show();
    else if (
      eagerLoad === true ||
      (eagerLoad !== false &&
        (flag.read() || policy["is_required"] || panel.signedToken || (panel.externalId && panel.restoreId)))
    )
      load();
  };

  /** Resolves when the service has answered. -> whether the panel can be loaded */
  const admitted: Promise<boolean> = (
    panel.config["eagerLoad"] === false ? Promise.resolve<SiteObject>({}) : readConfiguration(options, signal)
  ).then(
    (configuration) => {
      if (isDestroyed) return false;
      if (configuration) start(configuration);
      else admission = "refused";
      return configuration !== undefined;
    },
    () => false,
  );

  view.attach();
  render();

  /** Loads the panel for a call. */
  const call = async <Name extends PanelCallName>(
    name: Name,
    argument: PanelCalls[Name]["argument"],
  ): Promise<Reply> => {
    if (!(await admitted))
      return failure(403, "The messenger is not shown on this page. The browser's console says why.");
    if (isDestroyed) return failure(503, "The messenger was destroyed.");
    load();
    return connection.call(name, argument);
  };

  /** Changes what the panel receives when it is loaded, and the panel if it is loaded. */
  const change = (changes: PanelOptions): Reply => {
    panel = { ...panel, ...changes };
    if (isLoading) void connection.call("setOptions", changes);
    return OK;
  };

  const identify = async (externalId: string, restoreId: string | undefined): Promise<Reply> => {
    panel = { ...panel, externalId, restoreId };
    return isLoading || flag.read() ? call("identify", { externalId, restoreId }) : OK;
  };

  return {
    open,
    close,
    call,
    change,
    identify,
    isOpen: () => isOpen,
    isLoaded: () => isLoaded,
    /** `init` was called again: a page whose elements were removed shows them again. */
    attach: view.attach,
    setHidden(next: boolean): void {
      if (next) close();
      isHidden = next;
      render();
    },
    setConfig(config: SiteObject): void {
      change({ config: mergeConfig(panel.config, config) });
      render();
    },
    /** Properties of the conversations that begin from now on: they don't load the panel. */
    async setConversationProperties(values: Readonly<Record<string, string>>): Promise<Reply> {
      if (isLoading) return connection.call("setConversationProperties", values);
      conversationProperties = { ...conversationProperties, ...values };
      return OK;
    },
    /** Properties for a user, whom they don't create. */
    mergeProfile: ({ profile }: SiteProperties): Reply => change({ profile: mergeProfiles(panel.profile, profile) }),
    /** Properties of the user, whom they create. */
    async setProfile({ externalId, restoreId, locale, profile }: SiteProperties): Promise<Reply> {
      if (externalId !== undefined) await identify(externalId, restoreId);
      if (locale !== undefined) change({ locale });
      panel = { ...panel, profile: mergeProfiles(panel.profile, profile) };
      return call("setProfile", profile);
    },
    setConsent(hasConsent: boolean): void {
      change({ hasConsent });
      // The panel removes what the browser stores.
      if (!hasConsent && flag.read()) load();
    },
    async clearUser(): Promise<Reply> {
      // A panel that is loaded later must not restore the former person.
      panel = { ...panel, externalId: undefined, restoreId: undefined, signedToken: undefined, profile: {} };
      conversationProperties = {};
      const reply = await call("clearUser", null);
      if (reply.status === 200) flag.write(false);
      return reply;
    },
    destroy(): void {
      isDestroyed = true;
      aborting.abort();
      connection.close();
      view.remove();
    },
  };
};
export type Messenger = ReturnType<typeof createMessenger>;
