/** Says beside the button that something is changed, and asks before such a page is left. */
export interface Unsaved {
  /** Looks again. */
  look(): void;
  /** The page is about to be left on purpose. */
  forget(): void;
}

/** `isChanged`: whether anything that a person changed is not saved. */
export const unsavedOf = (place: HTMLElement, isChanged: () => boolean): Unsaved => {
  let isForgotten = false;
  window.addEventListener("beforeunload", (event) => {
    if (!isForgotten && isChanged()) event.preventDefault();
  });
  return {
    look: () => void (place.textContent = isChanged() ? "Unsaved changes" : ""),
    forget: () => void (isForgotten = true),
  };
};
