import { useCallback, useState } from "react";

/** -> the width of an element, and the function that is its `ref`. @units pixels */
export const useWidth = (): readonly [
  width: number,
  ref: (element: HTMLElement | null) => (() => void) | undefined,
] => {
  const [width, setWidth] = useState(0);
  const ref = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [width, ref];
};
