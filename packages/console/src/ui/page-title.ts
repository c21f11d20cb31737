import { useId } from "react";
import { useLayoutEffect } from "../state/effects.ts";
import { createStore } from "../state/store.ts";

interface PageTitle {
  readonly id: string;
  /** From the most special name to the most general name. */
  readonly parts: readonly string[];
}

const titles = createStore<readonly PageTitle[]>([]);

/** The title of the page that is shown; empty while a page loads that has no title yet. */
export const shownTitle = {
  get: (): string => titles.get().at(-1)?.parts.join(" · ") ?? "",
  subscribe: titles.subscribe,
};

/**
 * Names the page in the title of the document while the component is shown.
 * @shape parts: the names of the page and of what it belongs to; undefined: another component names the page
 * @shape isFrame: the frame of pages, whose name is shown until the page has a title
 */
export const usePageTitle = (parts: readonly string[] | undefined, { isFrame = false } = {}): void => {
  const id = useId();
  const text = parts?.join("\n");
  useLayoutEffect(() => {
    if (text === undefined) return undefined;
    const title = { id, parts: [...new Set(text.split("\n"))] };
    titles.update((shown) => (isFrame ? [title, ...shown] : [...shown, title]));
    return () => titles.update((shown) => shown.filter((each) => each !== title));
  }, [id, text, isFrame]);
};
