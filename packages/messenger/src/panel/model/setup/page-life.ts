interface PageLifeDeps {
  readonly storageKey: string;
  /** Compares the session with the stored one. -> whether it is the same person's */
  readonly check: () => boolean;
  readonly onStorageChange: () => void;
  readonly onLeave: () => void;
  /** The page returns from the browser's back/forward cache. */
  readonly onReturn: (isSamePerson: boolean) => void;
  readonly onVisible: () => void;
}

/**
 * Follows what happens to the page: it is left, it returns from the browser's back/forward cache, another tab changes the stored session. While it is
 * left, nothing of it is visible: a page that returns shows nothing before the session was compared with the stored one.
 */
export const followPageLife = (deps: PageLifeDeps): { readonly stop: () => void } => {
  const { storageKey, check, onStorageChange, onLeave, onReturn, onVisible } = deps;
  const following = new AbortController();
  const { signal } = following;
  const { style } = document.documentElement;
  addEventListener(
    "pagehide",
    () => {
      style.setProperty("visibility", "hidden");
      onLeave();
    },
    { signal },
  );
  addEventListener(
    "pageshow",
    ({ persisted }) => {
      if (!persisted) return;
      onReturn(check());
      // The display shows the changed state in a microtask.
      setTimeout(() => style.removeProperty("visibility"), 0);
    },
    { signal },
  );
  addEventListener(
    "storage",
    ({ key }) => {
      if (key === null || key === storageKey) onStorageChange();
    },
    { signal },
  );
  document.addEventListener(
    "visibilitychange",
    () => {
      if (document.visibilityState === "visible") onVisible();
    },
    { signal },
  );
  return { stop: () => following.abort() };
};
