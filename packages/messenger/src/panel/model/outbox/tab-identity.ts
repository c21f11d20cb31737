import { withLock } from "../session/exclusive.ts";
import type { PageStorage } from "../session/page-storage.ts";

/** Tells the tabs of a browser apart, and which of them still exist. */
export interface TabIdentity {
  readonly id: string;
  /** -> whether a tab was closed or left; its unsent messages can be taken over */
  readonly isGone: () => Promise<(tab: string) => boolean>;
  /** The tab exists from now on. */
  readonly hold: () => void;
  /** Removes what is stored of the tab. */
  readonly forget: () => void;
  /** The page is left. */
  readonly end: () => void;
}

/**
 * With locks, a tab holds one of its name as long as it exists. Without locks only the same tab continues its messages, after a reload.
 * @shape tabStorage: the storage of the tab
 */
export const createTabIdentity = (key: string, tabStorage: PageStorage, newId: () => string): TabIdentity => {
  const hasLocks = "locks" in navigator;
  const item = `${key} tab`;
  const id = (hasLocks ? undefined : tabStorage.get(item)) ?? newId();
  const lockName = (tab: string): string => `${key} tab ${tab}`;
  let release: (() => void) | undefined;
  return {
    get id() {
      if (!hasLocks) tabStorage.set(item, id);
      return id;
    },
    forget: () => tabStorage.remove(item),
    hold() {
      release?.();
      const held = new Promise<void>((resolve) => (release = resolve));
      void withLock(lockName(id), () => held).catch(() => undefined);
    },
    async isGone() {
      const locks = hasLocks ? await navigator.locks.query().catch(() => undefined) : undefined;
      if (!locks) return () => false;
      const held = new Set([...(locks.held ?? []), ...(locks.pending ?? [])].map(({ name }) => name));
      return (tab) => tab !== id && !held.has(lockName(tab));
    },
    end: () => release?.(),
  };
};
