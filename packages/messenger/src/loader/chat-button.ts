import type { ButtonTexts } from "../bridge/bridge.ts";
import { addStyles, BUTTON_CSS } from "./styles.ts";

const SVG = "http://www.w3.org/2000/svg";
const BUBBLE = "M4 5h16v11h-8l-5 4v-4h-3z";
const CROSS = "M5 5l14 14M19 5l-14 14";

/** What the button shows. @shape hasCross: closes the panel that is not loaded yet */
export interface ButtonState {
  readonly isOpen: boolean;
  readonly hasCross: boolean;
  readonly isHidden: boolean;
  readonly unreadCount: number;
  readonly label: string;
  readonly texts: ButtonTexts;
  readonly isLabelShown: boolean | undefined;
}

/** The button that opens the panel, in a shadow root. @shape onApproach: a pointer or the keyboard reaches the button: the panel is likely to be opened */
export const createChatButton = (
  nonce: string | undefined,
  { onPress, onApproach }: { readonly onPress: () => void; readonly onApproach: () => void },
) => {
  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "open" });
  addStyles(root, BUTTON_CSS, nonce);
  const button = document.createElement("button");
  button.type = "button";
  button.setAttribute("aria-haspopup", "dialog");
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", "0 0 24 24");
  picture.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  picture.append(path);
  const badge = document.createElement("i");
  badge.setAttribute("aria-hidden", "true");
  const text = document.createElement("b");
  button.append(picture, text, badge);
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  root.append(button, status);
  button.addEventListener("click", onPress);
  for (const name of ["pointerenter", "focus"]) button.addEventListener(name, onApproach);
  return {
    host,
    focus: () => button.focus({ preventScroll: true }),
    show({ isOpen, hasCross, isHidden, unreadCount, label, texts, isLabelShown }: ButtonState): void {
      const { unread = "", close = "Close" } = texts;
      host.className = hasCross ? "open" : isOpen || isHidden ? "none" : "";
      path.setAttribute("d", hasCross ? CROSS : BUBBLE);
      button.setAttribute("aria-expanded", String(isOpen));
      button.setAttribute("aria-label", hasCross ? close : [label, unread].filter(Boolean).join(", "));
      badge.textContent = unreadCount === 0 ? "" : unreadCount > 99 ? "99+" : String(unreadCount);
      if (status.textContent !== unread) status.textContent = unread;
      text.textContent = isLabelShown ? label : "";
    },
  };
};
