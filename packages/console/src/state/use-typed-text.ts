import { useRef, useState } from "react";
import { useEffect } from "./effects.ts";
import { useDebounced } from "./use-debounced.ts";

/** @units milliseconds */
const PAUSE_MS = 200;

/**
 * The text of a field that the address holds: the address follows the field after a pause in typing, the field follows the address when
 * it is changed elsewhere. -> what the field shows, and its setter
 */
export const useTypedText = (address: string, change: (text: string) => void) => {
  const [typed, setTyped] = useState(address);
  const settled = useDebounced(typed.trim(), PAUSE_MS);
  const known = useRef(address);
  const latest = useRef(change);
  latest.current = change;
  useEffect(() => {
    if (address === known.current) return;
    known.current = address;
    setTyped(address);
  }, [address]);
  useEffect(() => {
    if (settled === known.current) return;
    known.current = settled;
    latest.current(settled);
  }, [settled]);
  return [typed, setTyped] as const;
};
