import { useRef, useState } from "react";
import { dropUnsaved, keepUnsaved, unsavedAt } from "./unsaved-store.ts";

interface KeptInput<T> {
  /** Value that an earlier page kept: the agent had not saved it. */
  readonly restored: T | undefined;
  /** Keeps the present input in the browser. @shape input: undefined if it is what the service has */
  readonly keep: (input: T | undefined) => void;
  /** The input was saved or discarded. */
  readonly forget: () => void;
}

/** Keeps the input of a form or a field until it is saved or discarded. @shape place: nothing is kept when absent */
export const useKeptInput = <T>(place: string | undefined): KeptInput<T> => {
  const [restored] = useState(() => (place === undefined ? undefined : unsavedAt<T>(place)));
  /** Whether this page kept the value: the same form may be open in another tab. */
  const isOwn = useRef(restored !== undefined);
  const forget = (): void => {
    if (place !== undefined && isOwn.current) dropUnsaved(place);
    isOwn.current = false;
  };
  return {
    restored,
    forget,
    keep(input) {
      if (input === undefined) return forget();
      if (place === undefined) return;
      isOwn.current = true;
      keepUnsaved(place, input);
    },
  };
};

/** A state of a field or a form that the browser keeps from the first change until it is saved or discarded. */
export const useUnsavedState = <T>(place: string | undefined, initial: T) => {
  const { restored, keep, forget } = useKeptInput<T>(place);
  const [value, setValue] = useState(restored ?? initial);
  const [isRestored, setRestored] = useState(restored !== undefined);
  const change = (next: T): void => {
    setValue(next);
    keep(JSON.stringify(next) === JSON.stringify(initial) ? undefined : next);
  };
  return {
    value,
    change,
    forget,
    isRestored,
    /** Begins again without the restored value. */
    reset: (): void => {
      setRestored(false);
      change(initial);
    },
  };
};
