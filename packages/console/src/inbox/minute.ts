import { createStore, useStore } from "../state/store.ts";

/** @units milliseconds */
const MINUTE_MS = 60_000;
/** Present time, as of the beginning of the minute or of the last time that was shown. @units milliseconds of the epoch */
const minute = createStore(Date.now());

let timer: ReturnType<typeof setTimeout> | undefined;
const tick = (): void => {
  minute.set(Date.now());
  timer = setTimeout(tick, MINUTE_MS - (Date.now() % MINUTE_MS));
};

/** The present time, for texts that change by the minute. Only the components that call it are drawn again. */
export const useMinute = (): number => {
  if (timer === undefined) tick();
  return useStore(minute);
};
