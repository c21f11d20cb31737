/** Time after which something is read again that did not contain the latest changes. @units milliseconds */
const REREAD_AFTER_MS = 1_000;

type Listener = () => void;
const listeners = new Set<Listener>();
let timer: ReturnType<typeof setTimeout> | undefined;

const notify = (): void => {
  timer = undefined;
  for (const listener of listeners) listener();
};

/** Calls the listener some time after a reading that did not contain the latest changes: no event says what it lacks. */
export const onOutdatedReading = (listener: Listener): void => void listeners.add(listener);

/** Takes note of whether a reply contains the latest changes. -> the reply without this mark */
export const noteReading = <Reply extends { readonly is_behind?: boolean | undefined }>({
  is_behind,
  ...reply
}: Reply): Omit<Reply, "is_behind"> => {
  if (is_behind) timer ??= setTimeout(notify, REREAD_AFTER_MS);
  return reply;
};
