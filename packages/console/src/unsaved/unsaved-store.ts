import { currentPageAgent, type PageAgent } from "../session/session.ts";

/**
 * Text that the agent has typed and the service does not have yet. This browser keeps it for the agent and the account, by a place such as
 * `draft <conversation> reply`, from the first letter until it is saved, sent or discarded: a reload, an ended session, a closed window and a
 * service that does not answer lose nothing. Another agent's pages don't read it; signing out removes it, see `app/sign-out.ts`.
 */
interface UnsavedEntry {
  readonly value: unknown;
  readonly time: string;
}

const KEY = "parley-unsaved";
/** Text to which the agent did not come back is removed after this time. @assumed @units milliseconds */
const KEPT_MS = 30 * 86_400_000;

const prefixOf = ({ account, agent_id }: Pick<PageAgent, "account" | "agent_id">): string =>
  `${KEY} ${account} ${agent_id.toLowerCase()} `;

/** The prefix of the keys of the page's agent. */
const ownPrefix = (): string | undefined => {
  const agent = currentPageAgent();
  return agent && prefixOf(agent);
};

/** Browsers that refuse to store data still show the pages: the typed text then lasts as long as the page. */
const attempt = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch {
    return undefined;
  }
};

const entryOf = (text: string | null | undefined): UnsavedEntry | undefined =>
  text === null || text === undefined
    ? undefined
    : attempt(() => {
        const entry = JSON.parse(text) as Partial<UnsavedEntry> | null;
        return typeof entry?.time === "string" && "value" in entry ? (entry as UnsavedEntry) : undefined;
      });

/** Keeps a value at a place, instead of an earlier value. */
export const keepUnsaved = (place: string, value: unknown): void => {
  const prefix = ownPrefix();
  if (prefix === undefined) return;
  const entry: UnsavedEntry = { value, time: new Date().toISOString() };
  attempt(() => localStorage.setItem(prefix + place, JSON.stringify(entry)));
};

/** Removes the value at a place: it was saved, sent or discarded. */
export const dropUnsaved = (place: string): void => {
  const prefix = ownPrefix();
  if (prefix !== undefined) attempt(() => localStorage.removeItem(prefix + place));
};

const parse = <T>(entry: UnsavedEntry | undefined): T | undefined => entry?.value as T | undefined;

/** -> the value at a place @shape T: the kept value */
export const unsavedAt = <T>(place: string): T | undefined => {
  const prefix = ownPrefix();
  return prefix === undefined ? undefined : parse<T>(entryOf(attempt(() => localStorage.getItem(prefix + place))));
};

/** -> the places at which something is kept, and that begin with a text */
export const unsavedPlaces = (beginning = ""): readonly string[] => {
  const prefix = ownPrefix();
  if (prefix === undefined) return [];
  const keys = attempt(() => Object.keys(localStorage)) ?? [];
  return keys.filter((key) => key.startsWith(prefix + beginning)).map((key) => key.slice(prefix.length));
};

type Listener = (place: string, value: unknown) => void;

/** Calls the listener when another tab keeps something or drops it: the value is undefined then. -> the function that ends it */
export const onOtherTabUnsaved = (listener: Listener): (() => void) => {
  const onStorage = ({ key, newValue }: StorageEvent): void => {
    const prefix = ownPrefix();
    if (prefix === undefined || !key?.startsWith(prefix)) return;
    listener(key.slice(prefix.length), entryOf(newValue)?.value);
  };
  addEventListener("storage", onStorage);
  return () => removeEventListener("storage", onStorage);
};

/** Removes what agents of this browser have not come back for. */
export const removeOldUnsaved = (now: number): void =>
  attempt(() => {
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(`${KEY} `)) continue;
      const time = Date.parse(entryOf(localStorage.getItem(key))?.time ?? "");
      if (!(now - time < KEPT_MS)) localStorage.removeItem(key);
    }
  });
