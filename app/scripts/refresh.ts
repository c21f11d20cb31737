import { byId, setText, show } from "./elements.ts";
import { failureOf } from "./format.ts";

/** Data from the host costs the account no calls, so it is polled often. @units milliseconds */
const PAUSE = 5_000;
/** Delay until an action of the agent is visible in the host's data. @units milliseconds */
const ACTION_DELAY_MS = 1_000;

/** Polls while the page is visible, one request at a time. */
export const createRefreshInterval = (look: () => Promise<void>) => {
  let timer: number | undefined;
  let looking: Promise<void> | undefined;

  const plan = (pause: number) => {
    window.clearTimeout(timer);
    if (!document.hidden) timer = window.setTimeout(() => void now(), pause);
  };
  const now = (): Promise<void> => {
    looking ??= look().finally(() => {
      looking = undefined;
      plan(PAUSE);
    });
    return looking;
  };
  document.addEventListener("visibilitychange", () => void (document.hidden ? window.clearTimeout(timer) : now()));
  window.addEventListener("online", () => void now());
  return {
    now,
    /** Polls again after a poll that is in progress. */
    async again(): Promise<void> {
      await looking;
      await now();
    },
    soon: () => plan(ACTION_DELAY_MS),
  };
};

/** A call during a running one joins it. */
export const runOneAtATime = <Args extends readonly unknown[]>(act: (...args: Args) => Promise<void>) => {
  let underWay: Promise<void> | undefined;
  return (...args: Args): Promise<void> => (underWay ??= act(...args).finally(() => (underWay = undefined)));
};

/** Source of an error: an error is cleared when its source works again. */
type From = "look" | "view";

/** The bar that states why the panel is incomplete or outdated. */
export const failureMessageOn = (again: () => Promise<void>) => {
  const bar = byId("trouble");
  const button = byId<HTMLButtonElement>("again");
  const troubles = new Map<From, string>();

  const draw = () => {
    const [message = ""] = troubles.values();
    setText(byId("trouble-text"), message);
    const held = bar.contains(document.activeElement);
    show(bar, message !== "");
    if (held && !message) byId("name").focus();
  };
  button.addEventListener("click", () => {
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    void again().finally(() => button.removeAttribute("aria-disabled"));
  });
  return {
    /** Runs an operation that may fail. -> whether it succeeded */
    async heed(from: From, act: () => Promise<void>): Promise<boolean> {
      try {
        await act();
        troubles.delete(from);
        return true;
      } catch (error) {
        troubles.set(from, failureOf(error).message);
        return false;
      } finally {
        draw();
      }
    },
  };
};
