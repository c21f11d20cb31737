import type { PageStorage } from "../session/page-storage.ts";
import type { ThreadKey } from "../panel-model.ts";

/** Keeps unsent text while the visitor goes from page to page in a tab. */
export interface Drafts {
  readonly get: (key: ThreadKey) => string;
  readonly set: (key: ThreadKey, text: string) => void;
  readonly forget: () => void;
}

interface DraftsDeps {
  /** Storage of the tab. */
  readonly storage: PageStorage;
  /** Of everything that is kept for the account at the site. */
  readonly storageKey: string;
  /** -> generation of the session, which begins if the browser has none */
  readonly generation: () => string;
  /** -> generation of the session, if the browser has one */
  readonly currentGeneration: () => string | undefined;
}

export const createDrafts = ({ storage, storageKey, generation, currentGeneration }: DraftsDeps): Drafts => {
  const prefix = `${storageKey} draft `;
  return {
    get(key) {
      const [owner, ...text] = (storage.get(prefix + key) ?? "").split(" ");
      return owner !== "" && owner === currentGeneration() ? text.join(" ") : "";
    },
    set(key, text) {
      if (text === "") storage.remove(prefix + key);
      else storage.set(prefix + key, `${generation()} ${text}`);
    },
    forget: () => storage.keys(prefix).forEach((each) => storage.remove(each)),
  };
};
