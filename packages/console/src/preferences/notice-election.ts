/** Messages among tabs of one browser, so that one tab notifies. */
export type ElectionMessage =
  /** The tab is ready to notify of these messages. @shape rank: the highest one notifies */
  | { readonly kind: "claim"; readonly ids: readonly string[]; readonly rank: number; readonly tab: string }
  /** A tab has notified, or the agent sees the messages in it. */
  | { readonly kind: "settled"; readonly ids: readonly string[] };

interface ElectionOptions {
  readonly send: (message: ElectionMessage) => void;
  /** Different in each tab. */
  readonly tab: string;
  /** How suitable this tab is at present, such as the time when it last had the focus. */
  readonly rank: () => number;
}

/** Messages that are remembered. Tabs that are not visible may be seconds late. */
const REMEMBERED = 2_000;

const trim = (kept: Set<string> | Map<string, unknown>): void => {
  for (const oldest of kept.keys()) {
    if (kept.size <= REMEMBERED) return;
    kept.delete(oldest);
  }
};

/**
 * Chooses the tab that notifies of a message. Each tab claims it, waits for the claims of the others, and asks `won`. A message is
 * unclaimed → claimed → settled; a settled message stays settled.
 */
export const createNoticeElection = ({ send, tab, rank }: ElectionOptions) => {
  const settled = new Set<string>();
  const highest = new Map<string, { readonly rank: number; readonly tab: string }>();

  const settle = (ids: readonly string[]): void => {
    for (const id of ids) {
      settled.add(id);
      highest.delete(id);
    }
    trim(settled);
  };
  const note = (ids: readonly string[], claim: { readonly rank: number; readonly tab: string }): void => {
    for (const id of ids) {
      const known = highest.get(id);
      if (settled.has(id)) continue;
      if (!known || claim.rank > known.rank || (claim.rank === known.rank && claim.tab > known.tab))
        highest.set(id, claim);
    }
    trim(highest);
  };

  return {
    claim(ids: readonly string[]): void {
      const own = { rank: rank(), tab };
      note(ids, own);
      send({ kind: "claim", ids, ...own });
    },
    /** Ends the election of these messages in all tabs. */
    settle(ids: readonly string[]): void {
      settle(ids);
      send({ kind: "settled", ids });
    },
    receive(message: ElectionMessage): void {
      if (message.kind === "settled") settle(message.ids);
      else note(message.ids, { rank: message.rank, tab: message.tab });
    },
    /** Whether this tab notifies of a message that it claimed. */
    won: (id: string): boolean => !settled.has(id) && highest.get(id)?.tab === tab,
  };
};
