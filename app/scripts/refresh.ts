import { byId, setText, show } from "./elements.ts";
import { failureOf } from "./format.ts";

/** Data from the host costs the account no calls, so it is polled often. @units milliseconds */
const POLL_INTERVAL_MS = 5_000;
/** Delay until an action of the agent is visible in the host's data. @units milliseconds */
const ACTION_DELAY_MS = 1_000;

/** Polls while the page is visible, one request at a time. */
export const createPolling = (poll: () => Promise<void>) => {
  let timer: number | undefined;
  let running: Promise<void> | undefined;

  const scheduleNext = (delayMs: number) => {
    window.clearTimeout(timer);
    if (!document.hidden) timer = window.setTimeout(() => void now(), delayMs);
  };
  const now = (): Promise<void> => {
    running ??= poll().finally(() => {
      running = undefined;
      scheduleNext(POLL_INTERVAL_MS);
    });
    return running;
  };
  document.addEventListener("visibilitychange", () => void (document.hidden ? window.clearTimeout(timer) : now()));
  window.addEventListener("online", () => void now());
  return {
    now,
    /** Polls again after a poll that is in progress. */
    async again(): Promise<void> {
      await running;
      await now();
    },
    soon: () => scheduleNext(ACTION_DELAY_MS),
  };
};

/** A call during a running one joins it. */
export const joinRunningCall = <Args extends readonly unknown[]>(action: (...args: Args) => Promise<void>) => {
  let running: Promise<void> | undefined;
  return (...args: Args): Promise<void> => (running ??= action(...args).finally(() => (running = undefined)));
};

/** Source of an error: an error is cleared when its source works again. */
type FailureSource = "poll" | "view";

/** The bar that states why the panel is incomplete or outdated. */
export const createFailureBar = (retry: () => Promise<void>) => {
  const bar = byId("failure");
  const button = byId<HTMLButtonElement>("retry");
  const messages = new Map<FailureSource, string>();

  const draw = () => {
    const [message = ""] = messages.values();
    setText(byId("failure-text"), message);
    const hadFocus = bar.contains(document.activeElement);
    show(bar, message !== "");
    if (hadFocus && !message) byId("name").focus();
  };
  button.addEventListener("click", () => {
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    void retry().finally(() => button.removeAttribute("aria-disabled"));
  });
  return {
    /** Runs an operation that may fail. -> whether it succeeded */
    async run(source: FailureSource, action: () => Promise<void>): Promise<boolean> {
      try {
        await action();
        messages.delete(source);
        return true;
      } catch (error) {
        messages.set(source, failureOf(error).message);
        return false;
      } finally {
        draw();
      }
    },
  };
};
