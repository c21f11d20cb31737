/**
 * Runs an action at once, or, while the pointer is held down on a button, after the click that it becomes: else an error that appears
 * between press and release moves the button away from under the pointer, and the click is lost.
 */
export type WhenReleased = (action: () => void) => void;

export const whenReleased = (document: Document): WhenReleased => {
  let waiting: (() => void)[] | undefined;
  const release = () => {
    const actions = waiting ?? [];
    waiting = undefined;
    setTimeout(() => {
      for (const action of actions) action();
    });
  };
  const press = ({ target }: PointerEvent) => {
    // A press on a list of options may never be released as far as the page can tell.
    if (target instanceof Element && target.closest("button, a")) waiting ??= [];
  };
  document.addEventListener("pointerdown", press, true);
  document.addEventListener("pointerup", release, true);
  document.addEventListener("pointercancel", release, true);
  return (action) => {
    if (waiting) waiting.push(action);
    else action();
  };
};
