/** Marks where the keyboard begins in a part of a page: `{...FOCUS_START}`. */
export const FOCUS_START = { "data-focus-start": true } as const;

const START = "[data-focus-start]";
const FOCUSABLE = "a[href], button, input, select, textarea, [tabindex]";
/** Time in which dialogs, menus and lists give the focus back by themselves. @units milliseconds */
const WAIT_MS = 120;

/** Where the focus was: the element, its ancestors from the inside to the outside, and the focusable elements of the document in order. */
interface FocusPlace {
  readonly element: HTMLElement;
  readonly ancestors: readonly Element[];
  readonly order: readonly HTMLElement[];
}

/** The last place in the content of the page, and the last one anywhere. */
let inContent: FocusPlace | undefined;
let latest: FocusPlace | undefined;
/** The element that received the focus because the former one was gone. */
let restored: Element | undefined;

const contentOf = (): HTMLElement | null => document.querySelector("#content");

const isShown = (element: HTMLElement): boolean =>
  element.isConnected &&
  element.checkVisibility({ visibilityProperty: true }) &&
  !element.matches(":disabled") &&
  element.closest("[inert]") === null;
const isReachable = (element: HTMLElement): boolean => element.tabIndex >= 0 && isShown(element);

const placeOf = (element: HTMLElement): FocusPlace => {
  const ancestors: Element[] = [];
  for (let outer = element.parentElement; outer; outer = outer.parentElement) ancestors.push(outer);
  return { element, ancestors, order: [...document.querySelectorAll<HTMLElement>(FOCUSABLE)] };
};

/** The last start: an open conversation comes after the list. */
const startIn = (area: Element): HTMLElement | undefined =>
  [...area.querySelectorAll<HTMLElement>(START)].findLast(isShown);

/** -> the element nearest to a place whose element is gone: the start of the area, the next element in it, or the previous element */
const nearestTo = ({ element, ancestors, order }: FocusPlace, content: HTMLElement): HTMLElement => {
  const index = order.indexOf(element);
  for (const area of ancestors) {
    if (!area.isConnected) continue;
    if (area === content || !content.contains(area)) break;
    const isInArea = (other: HTMLElement): boolean => area.contains(other) && isReachable(other);
    const found =
      startIn(area) ??
      order.slice(index + 1).find(isInArea) ??
      order.slice(0, Math.max(0, index)).findLast(isInArea) ??
      [...area.querySelectorAll<HTMLElement>(FOCUSABLE)].find(isReachable) ??
      (area instanceof HTMLElement && isReachable(area) ? area : undefined);
    if (found) return found;
  }
  return startIn(content) ?? content;
};

const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body;

const focus = (element: HTMLElement): void => {
  element.focus({ preventScroll: true });
  restored = element;
};

/** Moves the focus to where the keyboard begins in the page. */
export const focusStart = (): void => {
  const content = contentOf();
  if (content) focus(startIn(content) ?? content);
};

/** Gives the focus to an element that has appeared, unless the agent has it somewhere. */
export const claimFocus = (element: HTMLElement | null): void => {
  const { activeElement } = document;
  const isWaiting = latest !== undefined && !latest.element.isConnected && isLost();
  if (element && (isWaiting || (restored !== undefined && restored === activeElement))) focus(element);
};

const restore = (): void => {
  const content = contentOf();
  if (!latest || latest.element.isConnected || !isLost() || !content) return;
  // An element outside of the content, such as a dialog or a toast, gives the focus back to the content.
  if (inContent) focus(isShown(inContent.element) ? inContent.element : nearestTo(inContent, content));
  else focusStart();
};

/**
 * Keeps the focus in the page: when the element that has it is removed, such as a deleted entry, a closed toast or the page before, the focus
 * goes to the nearest element. -> the function that ends it
 */
export const keepFocus = (): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const note = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement)) return;
    if (target !== restored) restored = undefined;
    latest = placeOf(target);
    if (contentOf()?.contains(target) === true) inContent = latest;
  };
  const observer = new MutationObserver(() => {
    if (!latest || latest.element.isConnected) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      restore();
    }, WAIT_MS);
  });
  document.addEventListener("focusin", note);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    document.removeEventListener("focusin", note);
    observer.disconnect();
    clearTimeout(timer);
  };
};
