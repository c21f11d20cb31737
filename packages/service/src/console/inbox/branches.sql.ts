import { statement, type Db } from "@parley/database";
import { createParameters, otherConditions, segmentCondition } from "./conditions.sql.ts";
import type { InboxSegment, InboxView } from "./view.ts";

/** The conversations of a segment with one status, and of one group where the segment has few of them. */
export interface InboxBranch {
  readonly status: string;
  readonly segment: InboxSegment;
  /**
   * `order`: the conversations are read in the order of the list, and those of other branches are skipped. `all`: all conversations of the
   * branch are read and sorted.
   */
  readonly read: "order" | "all";
}

/** Most groups of a segment that are read one by one, each in the order of its index. */
const GROUPS_APART_MAX = 8;

const apart = (segment: InboxSegment): readonly InboxSegment[] => {
  const { groups } = segment;
  return groups && groups.length <= GROUPS_APART_MAX
    ? groups.map((group) => ({ ...segment, groups: [group] }))
    : [segment];
};

const isRestricted = ({ agent, exceptAgent, groups }: InboxSegment): boolean =>
  agent !== undefined || exceptAgent !== undefined || groups !== undefined;

/** Most conversations of a branch that are all read when a filter that is not counted may exclude nearly all of them. */
const READ_ALL_MAX = 10_000;

type CountedFilters = Pick<InboxView, "channel" | "priority">;

/** For each branch: the number of its conversations, and of all with its status. Other filters than the counted filters are ignored. */
const countsOf = async (
  db: Db,
  accountId: number,
  branches: readonly Pick<InboxBranch, "status" | "segment">[],
  { channel, priority }: CountedFilters,
): Promise<readonly (readonly [own: number, all: number])[]> => {
  const parameters = createParameters();
  const account = parameters.add(accountId, "integer");
  const others = otherConditions({ channel, priority }, { account, agent: "null" }, parameters);
  const sumOf = (conditions: readonly string[]) =>
    `(select coalesce(sum(e.count), 0) from inbox_counts e where ${conditions.join(" and ")})`;
  const pairs = branches.map(({ status, segment }) => {
    const all = [`e.account_id = ${account}`, `e.status = ${parameters.add(status, "text")}`];
    return `json_build_array(${sumOf([...all, segmentCondition(segment, parameters), ...others])}, ${sumOf(all)})`;
  });
  const text = `select json_build_array(${pairs.join(", ")}) as counts`;
  const row = await db.one<{ counts: [number, number][] }>(statement("", text), parameters.values);
  return row?.counts ?? [];
};

/**
 * The branches of a view, each with the way that reads fewer rows for a page. The planner can't know it: it takes status, agent and group
 * for independent, although an agent may have no open conversation at all. The counts are exact.
 * @shape limit: conversations of the page
 */
export const branchesOf = async (
  db: Db,
  accountId: number,
  view: InboxView,
  limit: number,
): Promise<readonly InboxBranch[]> => {
  const branches = view.segments
    .flatMap(apart)
    .flatMap((segment) => view.statuses.map((status) => ({ status, segment })));
  if (view.user !== undefined || view.ids !== undefined) return branches.map((branch) => ({ ...branch, read: "all" }));
  const isFiltered = view.channel !== undefined || view.priority !== undefined;
  if (!isFiltered && !branches.some(({ segment }) => isRestricted(segment)))
    return branches.map((branch) => ({ ...branch, read: "order" }));
  const hasUncounted = view.property !== undefined || view.unread !== undefined;
  const counts = await countsOf(db, accountId, branches, view);
  return branches.map((branch, index) => {
    const [own = 0, all = 0] = counts[index] ?? [];
    const isSmaller = hasUncounted ? own <= READ_ALL_MAX : own * own < limit * all;
    return { ...branch, read: isSmaller ? "all" : "order" };
  });
};
