import { INVALID_VALUE, refuse } from "@parley/contract";
import type { MeasureBreakdown } from "../measures/measures.ts";
import { isUuid } from "../../../http/uuid.ts";

export type Grouping = "group" | "agent";

/** The account, filter and grouping of a metric request. */
export interface MetricScope {
  readonly accountId: number;
  /** undefined: no filter. */
  readonly groups: readonly string[] | undefined;
  readonly agents: readonly string[] | undefined;
  readonly by: Grouping | undefined;
}

interface MetricFilterQuery {
  readonly group_by?: Grouping | undefined;
  readonly filter_by?: string | undefined;
}

/** Clients in use send an equals sign instead of a colon. */
const FILTER = /^(group|agent)[:=](.+)$/;

/**
 * Parses the filter.
 * @errors INVALID_VALUE
 * @assumed Ids of the same kind are combined by OR, the two kinds by AND. An unknown id matches nothing.
 */
export const metricScopeOf = (accountId: number, { group_by: by, filter_by = "" }: MetricFilterQuery): MetricScope => {
  const ids = { group: new Set<string>(), agent: new Set<string>() };
  for (const part of filter_by.split(",").map((each) => each.trim())) {
    if (part === "" && filter_by.trim() === "") break;
    const [, kind, id] =
      FILTER.exec(part) ?? refuse(INVALID_VALUE, "filter_by must be group:<id> or agent:<id>, apart by commas");
    ids[kind as Grouping].add((id ?? "").trim().toLowerCase());
  }
  const listed = (names: ReadonlySet<string>) => (names.size === 0 ? undefined : [...names]);
  return { accountId, by, groups: listed(ids.group), agents: listed(ids.agent) };
};

/** The ids that a uuid column accepts. Other ids match nothing. */
export const validGroupingIds = (ids: readonly string[] | undefined): readonly string[] | undefined =>
  ids?.filter(isUuid);

/** The breakdown whose rows support the filter and the grouping. */
export const breakdownOf = ({ by, groups, agents }: MetricScope): MeasureBreakdown => {
  const group = by === "group" || groups !== undefined;
  const agent = by === "agent" || agents !== undefined;
  return group && agent ? "both" : group ? "group" : agent ? "agent" : "all";
};

/** A group or agent by its id; null: no group or agent; undefined: no grouping. */
export type GroupingKey = string | null | undefined;

/**
 * The keys that a reply lists: those with values and those that the filter names, at least one.
 * @assumed Values without a group or agent have the key "null".
 */
export const keysOf = ({ by, groups, agents }: MetricScope, found: readonly GroupingKey[]): readonly GroupingKey[] => {
  if (by === undefined) return [undefined];
  const named = (by === "group" ? groups : agents) ?? [];
  const ids = new Set([...named, ...found.filter((key) => typeof key === "string")]);
  const sorted: GroupingKey[] = [...ids].sort();
  return found.includes(null) || sorted.length === 0 ? [...sorted, null] : sorted;
};

export const groupingsOf = ({ by }: MetricScope, key: GroupingKey) =>
  by === undefined ? [] : [{ key: by, value: key ?? "null" }];

/** The filter as the reply repeats it. */
export const filtersOf = ({ groups = [], agents = [] }: MetricScope) => [
  ...groups.map((value) => ({ key: "group", value })),
  ...agents.map((value) => ({ key: "agent", value })),
];
