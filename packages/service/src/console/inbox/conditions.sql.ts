import type { InboxSegment, InboxView } from "./view.ts";

/** Values of a statement whose text is built for a request. Texts of requests are never part of the SQL. */
export const createParameters = () => {
  const values: unknown[] = [];
  return {
    values,
    /** -> the placeholder of a value */
    add: (value: unknown, type: string): string => `$${values.push(value)}::${type}`,
  };
};
export type SqlParameters = ReturnType<typeof createParameters>;

/** Condition of the rows `e` of a segment. */
export const segmentCondition = ({ agent, exceptAgent, groups }: InboxSegment, { add }: SqlParameters): string =>
  [
    "true",
    ...(agent === undefined ? [] : [agent === null ? "e.agent_id is null" : `e.agent_id = ${add(agent, "uuid")}`]),
    ...(exceptAgent === undefined ? [] : [`e.agent_id is distinct from ${add(exceptAgent, "uuid")}`]),
    ...(groups === undefined
      ? []
      : groups === null
        ? ["e.group_id is null"]
        : groups.length === 1
          ? [`e.group_id = ${add(groups[0], "uuid")}`]
          : [`e.group_id = any(${add(groups, "uuid[]")})`]),
  ].join(" and ");

/** Condition of the rows `e` of any of the segments. */
export const segmentsCondition = (segments: readonly InboxSegment[], parameters: SqlParameters): string =>
  `(${["false", ...segments.map((each) => segmentCondition(each, parameters))].join(" or ")})`;

/** Time at which an agent was created. @shape account, agent: SQL */
export const agentCreatedTime = (account: string, agent: string): string =>
  `(select created_time from agents where account_id = ${account} and id = ${agent})`;

/** Joins the read mark `r` of an agent to the entries `e`. */
export const joinReadMark = (agent: string): string =>
  `left join read_marks r on r.agent_id = ${agent} and r.conversation_id = e.conversation_id`;

/**
 * Whether the entry `e` has messages of the customer that the agent has not read.
 * @assumed An agent who has not marked a conversation yet has read what the customer sent before the agent was created.
 */
export const isUnread = (createdTime: string): string =>
  `coalesce(case when r.messages is null then e.customer_time >= ${createdTime} else e.customer_messages > r.messages end, false)`;

type OtherFilters = Pick<InboxView, "channel" | "priority" | "property" | "user" | "ids" | "unread">;

/** Whether a view is filtered by something that the table of counts does not have. */
export const needsEntries = ({ property, user, unread }: OtherFilters): boolean =>
  property !== undefined || user !== undefined || unread !== undefined;

/** The other conditions of a view's entries `e`. @shape account, agent: SQL of the account and the agent who views */
export const otherConditions = (
  { channel, priority, property, user, ids, unread }: OtherFilters,
  { account, agent }: { readonly account: string; readonly agent: string },
  { add }: SqlParameters,
): string[] => [
  ...(channel === undefined ? [] : [`e.channel_id = ${add(channel, "uuid")}`]),
  ...(priority === undefined ? [] : [`e.priority = ${add(priority, "smallint")}`]),
  ...(property === undefined
    ? []
    : [
        `exists (select from inbox_properties p
                  where p.account_id = ${account} and p.key = ${add(property, "uuid")} and p.conversation_id = e.conversation_id)`,
      ]),
  ...(ids === undefined ? [] : [`e.conversation_id = any(${add(ids, "uuid[]")})`]),
  ...(user === undefined ? [] : [`e.user_id = ${add(user, "uuid")}`]),
  ...(unread === undefined ? [] : [`${isUnread(agentCreatedTime(account, agent))} = ${add(unread, "boolean")}`]),
];
