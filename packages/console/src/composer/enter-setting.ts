const KEY = "parley-enter-sends";

/** Keyboards of touch screens have no Shift and Enter: there Enter begins a line, and the button sends. */
const isTouch = matchMedia("(pointer: coarse) and (hover: none)");

/** Whether Enter sends a message, and Shift and Enter begin a line; else Ctrl and Enter send it. The agent chooses it for the browser. */
export const doesEnterSend = (): boolean => {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === null ? !isTouch.matches : stored === "on";
  } catch {
    return !isTouch.matches;
  }
};
