/** @jsxImportSource preact */
import { visibleName } from "@parley/contract/display";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { applySiteColors } from "../appearance/colors.ts";
import { siteConfigOf } from "../config/site-config.ts";
import { DisplayContext, failureTextOf, useDisplay, type Display } from "../elements/display.ts";
import { HomeView } from "../home/home-view.tsx";
import type { PanelModel, PanelState } from "../model/panel-model.ts";
import { formatOf } from "../texts/format.ts";
import type { ShownLanguage } from "../texts/languages/languages.ts";
import { textsOf } from "../texts/texts.ts";
import { Announcer } from "../thread/announcer.tsx";
import { ThreadView } from "../thread/thread-view.tsx";
import { ConsentRequest } from "./consent-request.tsx";
import { PanelHeader } from "./panel-header.tsx";
import { usePanelFocus } from "./use-panel-focus.ts";

const usePanelState = (model: PanelModel): PanelState => {
  const [state, setState] = useState(model.state);
  useLayoutEffect(() => {
    setState(model.state());
    return model.follow(() => setState(model.state()));
  }, [model]);
  return state;
};

const useDisplayOf = (state: PanelState, model: PanelModel, language: ShownLanguage): Display => {
  const { config, look: knownLook, preview } = state.options;
  const { account_name: accountName = "", file_bytes: fileBytes = 0 } = state.configuration ?? {};
  const look = preview?.look ?? state.configuration?.look ?? knownLook;
  return useMemo(() => {
    const site = siteConfigOf(config, look);
    const business = visibleName(site.appName ?? accountName);
    const format = formatOf(language.locale);
    return {
      ...{ locale: language.locale, format, site, business, actions: model.actions },
      texts: textsOf(language.texts, config, look?.texts),
      failureText: failureTextOf(language.failures, format, fileBytes),
    };
  }, [config, look, language, accountName, fileBytes, model]);
};

/** Key of the thread's view: it stays the same when the conversation of a topic begins, so that the field keeps its text and the focus. */
const useViewKey = ({ place, threads }: PanelState): string => {
  const last = useRef({ viewKey: "", threadKey: "", topicId: "" });
  if (place.kind === "home") last.current = { viewKey: "", threadKey: "", topicId: "" };
  else {
    const { viewKey, threadKey, topicId } = last.current;
    const newTopicId = threads.get(place.key)?.topicId ?? "";
    const hasBegun = threadKey.startsWith("topic:") && !place.key.startsWith("topic:") && topicId === newTopicId;
    const isSame = threadKey === place.key || hasBegun;
    last.current = { viewKey: isSame ? viewKey : place.key, threadKey: place.key, topicId: newTopicId };
  }
  return last.current.viewKey;
};

/** Changes when another person uses this browser: what views have kept of the former person is dropped then. */
const usePersonKey = ({ visitor }: PanelState): number => {
  const last = useRef<{ readonly userId: string | undefined; readonly key: number }>({ userId: undefined, key: 0 });
  const { userId, key } = last.current;
  const isAnother = userId !== undefined && userId !== visitor?.user_id;
  last.current = { userId: visitor?.user_id, key: isAnother ? key + 1 : key };
  return last.current.key;
};

/** Whether the browser shows the page: false in a tab in the background. */
const usePageVisible = (): boolean => {
  const [isVisible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const update = () => setVisible(!document.hidden);
    document.addEventListener("visibilitychange", update);
    return () => document.removeEventListener("visibilitychange", update);
  }, []);
  return isVisible;
};

/** Without it the browser would open a file that is dropped beside the thread in place of the panel. */
const useNoFileDrops = (): void =>
  useEffect(() => {
    const refuseFiles = (event: DragEvent) => {
      if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "none";
    };
    document.addEventListener("dragover", refuseFiles);
    document.addEventListener("drop", refuseFiles);
    return () => {
      document.removeEventListener("dragover", refuseFiles);
      document.removeEventListener("drop", refuseFiles);
    };
  }, []);

/** A phone's keyboard makes the visible part of the page smaller, not the page: the panel takes the height of the visible part. */
const useVisibleHeight = (): void =>
  useEffect(() => {
    const viewport = window.visualViewport;
    if (!viewport) return;
    const apply = () => {
      const { style } = document.documentElement;
      // A page that is zoomed in keeps its layout. A frame that is not shown has no height.
      if (viewport.scale > 1.01 || viewport.height === 0) return;
      style.setProperty("--visible-height", `${viewport.height}px`);
      style.setProperty("--visible-top", `${viewport.offsetTop}px`);
    };
    apply();
    viewport.addEventListener("resize", apply);
    viewport.addEventListener("scroll", apply);
    return () => {
      viewport.removeEventListener("resize", apply);
      viewport.removeEventListener("scroll", apply);
    };
  }, []);

const Content = ({ state, model }: { readonly state: PanelState; readonly model: PanelModel }) => {
  const viewKey = useViewKey(state);
  const isPageVisible = usePageVisible();
  const { place, phase, threads } = state;
  const { texts, failureText } = useDisplay();
  if (phase === "loading" || phase === "connecting")
    return (
      <p class="centered" role="status">
        {texts.loading}
      </p>
    );
  if (phase === "consent") return <ConsentRequest />;
  if (phase !== "ready")
    return (
      <div class="centered" role="alert">
        <p>{failureText(state.failure)}</p>
        {phase === "unreachable" && (
          <button type="button" class="primary" onClick={() => model.actions.retryStart()}>
            {texts.tryAgain}
          </button>
        )}
      </div>
    );
  if (place.kind === "home") return <HomeView state={state} />;
  const thread = threads.get(place.key);
  const isSeen = state.isOpen && isPageVisible;
  return <ThreadView key={viewKey} threadKey={place.key} thread={thread} state={state} isSeen={isSeen} />;
};

interface PanelProps {
  readonly model: PanelModel;
  readonly language: ShownLanguage;
}

/** The whole panel. */
export const Panel = ({ model, language }: PanelProps) => {
  const state = usePanelState(model);
  const display = useDisplayOf(state, model, language);
  const { texts, site, business } = display;
  const personKey = usePersonKey(state);
  const heading = useRef<HTMLHeadingElement>(null);
  const title = texts.title(business);
  const { place, threads, phase, isOpen, isFocused, unreadCount, configuration } = state;

  useVisibleHeight();
  useNoFileDrops();
  usePanelFocus(heading, { isOpen, isFocused, isReady: phase !== "loading", place });
  useLayoutEffect(() => applySiteColors(document.documentElement, site), [site]);
  useLayoutEffect(() => {
    document.title = title;
  }, [title]);
  // Also of a frame that is not shown.
  useLayoutEffect(() => {
    const unread = unreadCount === 0 ? "" : language.texts.unreadMessages(unreadCount);
    if (configuration) model.actions.describeButton({ ...configuration.button, unread });
  }, [unreadCount, configuration?.button.open, configuration?.button.close, language, model]);
  useEffect(() => {
    const closeByKey = (event: KeyboardEvent) => {
      const isInDialog = event.target instanceof Element && event.target.closest("dialog") !== null;
      if (event.key === "Escape" && !event.isComposing && !isInDialog) model.actions.requestClose();
    };
    document.addEventListener("keydown", closeByKey);
    return () => document.removeEventListener("keydown", closeByKey);
  }, [model]);

  return (
    <DisplayContext.Provider value={display}>
      <div class="panel" role="dialog" aria-label={title}>
        <PanelHeader
          state={state}
          thread={place.kind === "thread" ? threads.get(place.key) : undefined}
          heading={heading}
        />
        <Content key={`content ${personKey}`} state={state} model={model} />
        <Announcer key={`announcer ${personKey}`} state={state} />
      </div>
    </DisplayContext.Provider>
  );
};
