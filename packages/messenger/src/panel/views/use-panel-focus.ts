import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { PanelState, Place } from "../model/panel-model.ts";

/** The element of the list that leads to a place. */
const openerSelector = (place: Place): string | undefined => {
  if (place.kind === "home") return undefined;
  const topic = /^topic:(.*)$/s.exec(place.key)?.[1];
  return topic === undefined ? `[data-conversation="${CSS.escape(place.key)}"]` : `[data-topic="${CSS.escape(topic)}"]`;
};

/**
 * Moves the focus when the panel is opened and when another place is shown: to the heading, and on the way back to the item that was opened.
 * A field that took the focus by itself keeps it. A frame that is not shown, or that the page has opened by itself, never takes the focus from the page.
 */
export const usePanelFocus = (
  heading: RefObject<HTMLHeadingElement | null>,
  {
    isOpen,
    isFocused,
    isReady,
    place,
  }: Pick<PanelState, "isOpen" | "isFocused" | "place"> & { readonly isReady: boolean },
): void => {
  const last = useRef<Place>(place);
  const placeName = place.kind === "home" ? "home" : place.key;
  useEffect(() => {
    const from = last.current;
    last.current = place;
    if (!isOpen || !isReady || !(isFocused || document.hasFocus())) return;
    const active = document.activeElement;
    if (active instanceof HTMLTextAreaElement || active instanceof HTMLInputElement) return;
    const selector = place.kind === "home" ? openerSelector(from) : undefined;
    const opener = selector === undefined ? null : document.querySelector<HTMLElement>(selector);
    (opener ?? heading.current)?.focus({ preventScroll: opener === null });
  }, [isOpen, isReady, placeName]);
};
