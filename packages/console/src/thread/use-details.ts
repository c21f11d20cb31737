import { useState } from "react";
import { useMedia } from "../ui/use-media.ts";

const KEY = "parley-details";
/** Wide enough for the navigation, the list, the conversation and the details. */
const BESIDE = "(min-width: 80rem)";

/** Whether the details are shown: beside the conversation as the agent left them, above it only when they are asked for. */
export const useDetails = () => {
  const isSheet = !useMedia(BESIDE);
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
