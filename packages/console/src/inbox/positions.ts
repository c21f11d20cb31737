import type { InboxItem, InboxOrder } from "@parley/contract";

/** Priorities, the most urgent last. */
const PRIORITIES = ["Low", "Medium", "High", "Urgent"] as const;

/** Where a conversation belongs in an order: the smaller one comes first, the first different number decides. */
export type Position = readonly number[];

/** Conversations in which nobody waits come after all others, the newest activity first. */
const WAITING_END = 1e14;

const activityOf = ({ activity_time }: InboxItem): number => Date.parse(activity_time);
const createdOf = ({ created_time }: InboxItem): number => Date.parse(created_time);
const waitingOf = (item: InboxItem): number =>
  item.waiting_since !== undefined && item.status !== "resolved"
    ? Date.parse(item.waiting_since)
    : WAITING_END - activityOf(item);
const priorityOf = ({ properties }: InboxItem): number =>
  PRIORITIES.findIndex((name) => name === properties["priority"]) + 1;

/** The same orders as those of the service, whose cursors are positions too. */
const POSITIONS: Readonly<Record<InboxOrder, (item: InboxItem) => Position>> = {
  newest_activity: (item) => [-activityOf(item), -item.number],
  oldest_activity: (item) => [activityOf(item), item.number],
  newest: (item) => [-createdOf(item), -item.number],
  oldest: (item) => [createdOf(item), item.number],
  priority: (item) => [-priorityOf(item), -activityOf(item), -item.number],
  waiting: (item) => [waitingOf(item), item.number],
};

export const listPositionOf = (item: InboxItem, order: InboxOrder): Position => POSITIONS[order](item);

/** -> negative: the first one comes first */
export const comparePositions = (one: Position, other: Position): number => {
  for (const [index, value] of one.entries()) {
    const difference = value - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
};

/** -> the number of items at the beginning that come before a position, or stand at it if `isInclusive` */
export const countBefore = (
  items: readonly InboxItem[],
  order: InboxOrder,
  position: Position,
  isInclusive = false,
): number => {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    const difference = item ? comparePositions(listPositionOf(item, order), position) : 0;
    if (difference < 0 || (isInclusive && difference === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
};
