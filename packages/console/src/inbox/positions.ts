import type { ListedConversation } from "@parley/contract";

/** Where a conversation belongs in a list, as the service says: the smaller one comes first, the first different number decides. */
export type Position = ListedConversation["position"];

/** -> negative: the first one comes first */
export const comparePositions = (one: Position, other: Position): number => {
  for (const [index, value] of one.entries()) {
    const difference = value - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
};

/** -> the number of items at the beginning that come before a position, or stand at it if `isInclusive` */
export const countBefore = (items: readonly ListedConversation[], position: Position, isInclusive = false): number => {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    const difference = item ? comparePositions(item.position, position) : 0;
    if (difference < 0 || (isInclusive && difference === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
};
