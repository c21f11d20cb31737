import { adding } from "./conversations/adding.ts";
import { changing } from "./conversations/changing.ts";
import { creating } from "./conversations/creating.ts";
import type { HotPathDeps } from "./conversations/deps.ts";
import { type Find, finding, findingIds } from "./conversations/finding.ts";
import { numbers } from "./conversations/numbers.ts";
import { type Release, releasing } from "./conversations/releasing.ts";
import { type Reopen, reopening } from "./conversations/reopening.ts";
import { opening } from "./conversations/opening.ts";
import { prefaces as openPrefaces } from "./conversations/prefaces.ts";
import { conversationSlice } from "./conversations/routes.ts";
import { conversationStore, NUMBERS, numberStore } from "./conversations/store.ts";
import { writing as openWriting } from "./conversations/writing.ts";
import type { Slice } from "./http/slice.ts";
import { drafts as openDrafts } from "./messages/drafts.ts";
import { messageSlice } from "./messages/routes.ts";
import { messageStore } from "./messages/store.ts";

/** The slices that share the way to the log. */
export interface HotPath {
  readonly conversations: Slice;
  readonly messages: Slice;
  /** What other slices do with conversations. */
  readonly find: Find;
  readonly reopen: Reopen;
  readonly release: Release;
  /** Resolves when what waits is committed. */
  close(): Promise<void>;
}

/** Joins conversations and messages: each writes what the other one reads. */
export const hotPath = ({ writes, reads, heavy, directory, answered, filesOf, ports, wake }: HotPathDeps): HotPath => {
  const store = conversationStore(reads);
  const writing = openWriting({ writes, ports, wake });
  const drafts = openDrafts(directory, filesOf);
  const prefaces = openPrefaces({ answered, drafts, writing });
  const findId = findingIds(store);
  const find = finding(store, findId);
  const { now, newId } = ports;
  const nextNumber = numbers(() => numberStore(writes).take(), NUMBERS);
  const create = creating({ directory, drafts, begin: opening({ prefaces, writing }), nextNumber, now, newId });
  const change = changing({ directory, drafts, find, writing, now });
  const add = adding({ drafts, find, prefaces, writing, now });
  return {
    conversations: conversationSlice({ directory, find, create, change }),
    messages: messageSlice({ store: messageStore(reads, heavy), findId, drafts, add }),
    find,
    reopen: reopening({ drafts, writing, now }),
    release: releasing({ store, writing }),
    close: () => writing.close(),
  };
};
