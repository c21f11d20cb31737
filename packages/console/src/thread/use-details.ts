import { useState, type RefObject } from "react";
import { useLayoutEffect } from "../state/effects.ts";

const KEY = "parley-details";
/** Width of a pane with enough space for the details beside the conversation. @units pixels of the root's text size */
const BESIDE_REM = 45.5;

const remPx = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;

const useIsWide = (pane: RefObject<HTMLElement | null>): boolean => {
  const [isWide, setWide] = useState(false);
  useLayoutEffect(() => {
    const element = pane.current;
    if (!element) return;
    const measure = (): void => setWide(element.clientWidth >= BESIDE_REM * remPx());
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [pane]);
  return isWide;
};

/** Whether the details are shown: beside the conversation as the agent left them, above it only when they are asked for. */
export const useDetails = (pane: RefObject<HTMLElement | null>) => {
  const isSheet = !useIsWide(pane);
  const [isBeside, setBeside] = useState(() => localStorage.getItem(KEY) !== "closed");
  const [isAbove, setAbove] = useState(false);
  const isOpen = isSheet ? isAbove : isBeside;
  const change = (open: boolean): void => {
    if (isSheet) return setAbove(open);
    setBeside(open);
    localStorage.setItem(KEY, open ? "open" : "closed");
  };
  return { isSheet, isOpen, toggle: () => change(!isOpen), close: () => change(false) };
};
