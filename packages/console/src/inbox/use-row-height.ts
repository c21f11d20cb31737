import { useSyncExternalStore } from "react";

/** Height of a row of the list, as its stylesheet says. @units rem */
const ROW_HEIGHT = 4.75;

const rowHeight = (): number => ROW_HEIGHT * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

const onResize = (listener: () => void): (() => void) => {
  addEventListener("resize", listener);
  return () => removeEventListener("resize", listener);
};

/** -> the height of a row @units pixels */
export const useRowHeight = (): number => useSyncExternalStore(onResize, rowHeight);
