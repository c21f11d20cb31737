import { useState } from "react";
import { useEffect } from "./effects.ts";

/** -> the value, once it has stayed the same for a time. @units delayMs: milliseconds */
export const useDebounced = <T>(value: T, delayMs: number): T => {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
};
