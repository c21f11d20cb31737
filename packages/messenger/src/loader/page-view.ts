import type { ShownLook } from "@parley/contract";
import type { ButtonTexts } from "../bridge/bridge.ts";
import { createChatButton } from "./chat-button.ts";
import { objectOf, textOf, type SiteObject } from "./site-options.ts";
import { addStyles, PAGE_CSS } from "./styles.ts";

const BODY_CLASS = "fc-widget-open";

const classesOf = (value: unknown): readonly string[] => textOf(value)?.split(/\s+/) ?? [];

interface ViewState {
  readonly config: SiteObject;
  /** What the account has set. `config` precedes it. */
  readonly look: ShownLook;
  readonly isOpen: boolean;
  /** `hide` was called. */
  readonly isHidden: boolean;
  /** Whether the messenger may show anything: not before the service has admitted the page. */
  readonly isShown: boolean;
  /** Whether the panel is connected: it has a button to close. */
  readonly isConnected: boolean;
  readonly unreadCount: number;
  readonly texts: ButtonTexts;
}

/** Name of the button and the frame. */
const labelOf = (config: SiteObject, look: ShownLook, texts: ButtonTexts): string =>
  textOf(objectOf(objectOf(config["content"])["headers"])["chat"]) ??
  look.texts?.button_label ??
  textOf(objectOf(config["headerProperty"])["appName"]) ??
  texts.open ??
  "Chat";

/** The element that had the focus, also within shadow roots. */
const focusedElement = (): Element | null => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
};

/**
 * The elements of the messenger in the page: `div#fc_frame` with `iframe#fc_widget` and the button. They are children of the root element, so that a
 * replaced body neither removes them nor loads the panel again.
 */
export const createPageView = (
  nonce: string | undefined,
  handlers: { readonly onPress: () => void; readonly onApproach: () => void },
  signal: AbortSignal,
) => {
  const container = document.createElement("div");
  container.id = "fc_frame";
  container.className = "fc-widget-normal";
  let frame = document.createElement("iframe");
  frame.id = frame.name = "fc_widget";
  const button = createChatButton(nonce, handlers);
  container.append(frame, button.host);
  let ownClasses: readonly string[] = [];
  let isOpenNow = false;
  let focusBefore: Element | null = null;
  const removeStyles = addStyles(document, PAGE_CSS, nonce);

  /** Attaches the elements again where a page has replaced its root element, or has removed them. */
  const attach = (): void => {
    if (!container.isConnected) document.documentElement.append(container);
  };
  const markBody = (): void => void document.body?.classList.toggle(BODY_CLASS, isOpenNow);

  // A page that replaces its body loses the class. A page that removes the elements on purpose is left alone.
  const observer = new MutationObserver((records) => {
    if (records.some(({ target }) => target === document)) {
      attach();
      observer.observe(document.documentElement, { childList: true });
    }
    if (isOpenNow) markBody();
  });
  observer.observe(document, { childList: true });
  observer.observe(document.documentElement, { childList: true });

  /** Phones show the keyboard over the page: the frame takes what remains. */
  const fitKeyboard = (): void => {
    const viewport = globalThis.visualViewport;
    if (!viewport || !isOpenNow || viewport.scale > 1.01) return;
    container.style.setProperty("--fc-height", `${viewport.height}px`);
    container.style.setProperty("--fc-top", `${viewport.offsetTop}px`);
  };
  for (const name of ["resize", "scroll"]) globalThis.visualViewport?.addEventListener(name, fitKeyboard, { signal });

  let announced = 0;
  let [ownTitle, shownTitle]: [string?, string?] = [];
  const pageTitle = (): string => (document.title === shownTitle ? ownTitle! : document.title);
  /**
   * Puts the number of unread messages before the title of a page in the background. A title that the page sets meanwhile is kept.
   * @assumed Also where the site does not ask for it: visitors who wait in another tab expect it of a messenger.
   */
  const markTitle = (): void => {
    ownTitle = pageTitle();
    shownTitle = document.hidden && announced ? `(${announced}) ${ownTitle}`.trim() : ownTitle;
    if (document.title !== shownTitle) document.title = shownTitle;
  };
  document.addEventListener("visibilitychange", markTitle, { signal });

  const giveFocus = (): void => {
    const before = focusBefore;
    focusBefore = null;
    const isInside = document.activeElement === frame || document.activeElement === container;
    if (!isInside && document.activeElement !== document.body && document.activeElement !== button.host) return;
    if (before instanceof HTMLElement && before.isConnected && before !== document.body)
      before.focus({ preventScroll: true });
    else button.focus();
  };

  return {
    attach,
    /** The title that the page has given itself. */
    pageTitle,
    frameWindow: () => frame.contentWindow,
    /** Loads the panel. A new element has no entry in the history of the page. */
    load(address: string, title: string): void {
      const fresh = frame.cloneNode() as HTMLIFrameElement;
      fresh.src = address;
      fresh.title = title;
      frame.replaceWith(fresh);
      frame = fresh;
    },
    focusFrame: () => frame.focus({ preventScroll: true }),
    labelOf,
    show({ config, look, isOpen, isHidden, isShown, isConnected, unreadCount, texts }: ViewState): void {
      const header = objectOf(config["headerProperty"]);
      const names = objectOf(config["cssNames"]);
      const isFullscreen = config["fullscreen"] === true;
      const hasNoButton = header["hideChatButton"] === true;
      const { classList } = container;
      classList.remove(...ownClasses);
      ownClasses = [
        ...classesOf(names["widget"]),
        ...(isOpen ? classesOf(names["open"]) : []),
        ...(isOpen && isFullscreen ? classesOf(names["expanded"]) : []),
      ];
      classList.add(...ownClasses);
      classList.toggle("fc_l2r", header["direction"] ? header["direction"] === "ltr" : look.position === "left");
      classList.toggle("fc_dn", !isShown || hasNoButton);
      classList.toggle("hide", isHidden);
      classList.toggle("fc-widget-fullscreen", isFullscreen);
      classList.toggle("fc-open", isOpen);
      if (isOpen && !isOpenNow) focusBefore = focusedElement();
      const isClosing = isOpenNow && !isOpen;
      isOpenNow = isOpen;
      markBody();
      fitKeyboard();
      const [color, text_color] = [header["backgroundColor"], header["foregroundColor"]].map((value) =>
        CSS.supports("color", value as string) ? (value as string) : "",
      );
      // Two colours belong together: the text of the look is readable on the look's own.
      const own = (color || !look.color) && { color, text_color, dark_color: "", dark_text_color: "" };
      for (const [name, value] of Object.entries({ ...look, ...own }))
        // A page may have a property of the same name.
        container.style.setProperty(`--fc-${name}`, (value as string) || "initial");
      button.show({
        ...{ isOpen, hasCross: isOpen && !isConnected, isHidden: hasNoButton, unreadCount, texts },
        ...{ label: labelOf(config, look, texts), isLabelShown: look.is_label_shown },
      });
      announced = config["unreadInTitle"] === false ? 0 : unreadCount;
      markTitle();
      if (isClosing) giveFocus();
    },
    remove(): void {
      observer.disconnect();
      isOpenNow = false;
      markBody();
      announced = 0;
      markTitle();
      removeStyles();
      container.remove();
    },
  };
};
