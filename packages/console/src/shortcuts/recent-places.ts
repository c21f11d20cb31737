/** A conversation or a customer that the agent had open. */
export interface RecentPlace {
  readonly kind: "conversation" | "customer";
  readonly id: string;
  readonly label: string;
}

export const RECENT_PLACES_MAX = 8;
/** Of this tab only: the names of customers don't stay on the device. */
const KEY = "parley-recent-places";

/** -> the list with a place at its beginning, once, and bounded */
export const withRecentPlace = (places: readonly RecentPlace[], place: RecentPlace): readonly RecentPlace[] =>
  [place, ...places.filter(({ kind, id }) => kind !== place.kind || id !== place.id)].slice(0, RECENT_PLACES_MAX);

const isPlace = (value: unknown): value is RecentPlace => {
  if (typeof value !== "object" || value === null) return false;
  const { kind, id, label } = value as Partial<Record<keyof RecentPlace, unknown>>;
  return (kind === "conversation" || kind === "customer") && typeof id === "string" && typeof label === "string";
};

/** -> the places of a stored text; empty if it is damaged */
export const parseRecentPlaces = (text: string | null): readonly RecentPlace[] => {
  try {
    const value: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(value) ? value.filter(isPlace).slice(0, RECENT_PLACES_MAX) : [];
  } catch {
    return [];
  }
};

export const recentPlaces = (): readonly RecentPlace[] => {
  try {
    return parseRecentPlaces(sessionStorage.getItem(KEY));
  } catch {
    return [];
  }
};

const store = (places: readonly RecentPlace[]): void => {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(places));
  } catch {
    // Without storage nothing is remembered.
  }
};

/** Remembers that the agent opened a conversation or a customer. */
export const noteRecentPlace = (place: RecentPlace): void => store(withRecentPlace(recentPlaces(), place));

/** Forgets one that no longer exists. */
export const forgetRecentPlace = (id: string): void => store(recentPlaces().filter((place) => place.id !== id));
