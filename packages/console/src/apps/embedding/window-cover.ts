import type { EmbedRectangle } from "@parley/contract";

/** Lets a frame cover the window while the app in it shows a dialog. Moving the frame to another element would load it again. */
interface WindowCover {
  /**
   * Covers the window; everything else can't be used meanwhile.
   * -> where the frame was @param moved called when the place of the frame moves, as on a resize of the window
   */
  expand(moved: (rectangle: EmbedRectangle) => void): EmbedRectangle;
  /** Returns the frame to its place. */
  collapse(): void;
}

const COVER_STYLE: Readonly<Record<string, string>> = {
  position: "fixed",
  inset: "0",
  width: "100vw",
  height: "100vh",
  maxWidth: "none",
  maxHeight: "none",
  margin: "0",
  padding: "0",
};

const rectangleOf = (element: HTMLElement): EmbedRectangle => {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { left, top, width, height };
};

/** The elements beside an element and its ancestors that are not inert yet. */
const othersOf = (element: HTMLElement): HTMLElement[] => {
  const others: HTMLElement[] = [];
  for (let at: HTMLElement = element; at.parentElement && at !== document.body; at = at.parentElement)
    for (const sibling of at.parentElement.children)
      if (sibling !== at && sibling instanceof HTMLElement && !sibling.inert) others.push(sibling);
  return others;
};

export const createWindowCover = (frame: HTMLElement, container: HTMLElement): WindowCover => {
  let restore: (() => void) | undefined;

  return {
    expand(moved) {
      const rectangle = rectangleOf(frame);
      if (restore) return rectangleOf(container);
      const previous = frame.getAttribute("style") ?? "";
      const others = othersOf(frame);
      const { minHeight } = container.style;
      // The frame leaves the flow: its place keeps its height.
      container.style.minHeight = `${container.getBoundingClientRect().height}px`;
      Object.assign(frame.style, COVER_STYLE);
      // The top layer: no ancestor's position or order matters, and the frame is not loaded again.
      frame.setAttribute("popover", "manual");
      frame.showPopover();
      for (const other of others) other.inert = true;
      const report = () => moved(rectangleOf(container));
      window.addEventListener("resize", report);
      restore = () => {
        window.removeEventListener("resize", report);
        for (const other of others) other.inert = false;
        frame.hidePopover();
        frame.removeAttribute("popover");
        frame.setAttribute("style", previous);
        container.style.minHeight = minHeight;
      };
      return rectangle;
    },
    collapse() {
      restore?.();
      restore = undefined;
    },
  };
};
