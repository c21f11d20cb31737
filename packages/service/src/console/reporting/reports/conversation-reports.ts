import type { Statement } from "@parley/database";
import {
  conversationColumns,
  rounded,
  secondsBetween,
  agentColumns,
  groupColumns,
  channelColumns,
  conversationUrl,
  type ReportColumn,
  eventReport,
} from "./columns.ts";
import {
  FIRST_RESPONSES,
  RESPONSES,
  type ResponseRow,
  RESOLVED,
  type InteractionRow,
  RATINGS,
  type RatingRow,
  CREATED,
  AGENT_ASSIGNMENTS,
  GROUP_ASSIGNMENTS,
  type AssignmentRow,
  FIND_RATED_CONVERSATIONS,
} from "./conversation-rows.sql.ts";

const responseReport = (rows: Statement) =>
  eventReport<ResponseRow>({
    span: "month",
    step: "week",
    fromAnalytics: true,
    rows,
    columns: [
      ...conversationColumns<ResponseRow>(),
      { name: "agent_id", value: ({ agent_id }) => agent_id },
      { name: "group_id", value: ({ group_id }) => group_id },
      { name: "value_in_seconds", value: ({ value_in_seconds }) => rounded(value_in_seconds) },
      { name: "created_at", value: ({ created_time }) => created_time },
    ],
  });

/** Waiting times of users until a response. @assumed The first response of an interaction is included. */
export const responseTime = responseReport(RESPONSES);
/** Waiting times of users until the first response of an interaction. */
export const firstResponseTime = responseReport(FIRST_RESPONSES);

/** Durations of interactions, by their resolution. */
export const resolutionTime = eventReport<InteractionRow>({
  span: "month",
  step: "week",
  fromAnalytics: true,
  rows: RESOLVED,
  columns: [
    ...conversationColumns<InteractionRow>(),
    { name: "agent_id", value: ({ resolved_agent_id }) => resolved_agent_id },
    { name: "group_id", value: ({ resolved_group_id }) => resolved_group_id },
    {
      name: "value_in_seconds",
      value: ({ created_time, resolved_time }) => secondsBetween(created_time, resolved_time),
    },
    { name: "created_at", value: ({ resolved_time }) => resolved_time },
  ],
});

/** Ratings. @assumed csat_response is the free-text feedback. */
export const csatScore = eventReport<RatingRow>({
  span: "month",
  step: "week",
  rows: RATINGS,
  columns: [
    { name: "csat_id", value: ({ id }) => id },
    { name: "conversation_id", value: ({ conversation_id }) => conversation_id },
    { name: "value", value: ({ rating }) => rating },
    { name: "csat_response", pii: true, value: ({ additional_feedback }) => additional_feedback },
    { name: "created_at", value: ({ created_time }) => created_time },
    ...agentColumns<RatingRow>(({ agent_id }) => agent_id),
  ],
});

/** Interactions by their resolution, with the agent and group at that time. */
export const conversationResolved = eventReport<InteractionRow>({
  span: "month",
  step: "week",
  fromAnalytics: true,
  rows: RESOLVED,
  columns: [
    ...conversationColumns<InteractionRow>(),
    { name: "created_at", value: ({ resolved_time }) => resolved_time },
    ...agentColumns<InteractionRow>(({ resolved_agent_id }) => resolved_agent_id),
    ...groupColumns<InteractionRow>(({ resolved_group_id }) => resolved_group_id),
    { name: "reopened", value: ({ reopened }) => reopened },
  ],
});

/** Resolutions with their label. @assumed No endpoint sets a label of a resolution: the column exists and is empty. */
export const conversationResolutionLabel = eventReport<InteractionRow>({
  span: "month",
  step: "week",
  fromAnalytics: true,
  rows: RESOLVED,
  columns: [
    ...conversationColumns<InteractionRow>(),
    { name: "resolution_label", value: () => "" },
    { name: "created_at", value: ({ resolved_time }) => resolved_time },
    ...agentColumns<InteractionRow>(({ resolved_agent_id }) => resolved_agent_id),
    ...groupColumns<InteractionRow>(({ resolved_group_id }) => resolved_group_id),
  ],
});

/** Interactions by their beginning. @assumed Group and agent are the last group and agent of the interaction. */
export const conversationCreated = eventReport<InteractionRow>({
  span: "month",
  step: "week",
  fromAnalytics: true,
  rows: CREATED,
  columns: [
    ...conversationColumns<InteractionRow>(),
    { name: "created_at", value: ({ created_time }) => created_time },
    ...channelColumns<InteractionRow>(),
    ...groupColumns<InteractionRow>(({ group_id }) => group_id),
    ...agentColumns<InteractionRow>(({ agent_id }) => agent_id),
    { name: "reopened", value: ({ reopened }) => reopened },
    conversationUrl<InteractionRow>(),
  ],
});

/** The actor who made the assignment. */
const assignor: readonly ReportColumn<AssignmentRow>[] = [
  { name: "assignor_type", value: ({ actor_type }) => actor_type },
  { name: "assignor_id", value: ({ actor_id }) => actor_id },
];
const createdAt: ReportColumn<AssignmentRow> = { name: "created_at", value: ({ created_time }) => created_time };

/** Changes of the agent. @assumed The removal of an agent is a row too, without a new agent. */
export const conversationAgentAssigned = eventReport<AssignmentRow>({
  span: "month",
  step: "week",
  fromAnalytics: true,
  rows: AGENT_ASSIGNMENTS,
  columns: [
    ...conversationColumns<AssignmentRow>(),
    createdAt,
    ...agentColumns<AssignmentRow>(({ from_id }) => from_id, "from_"),
    ...agentColumns<AssignmentRow>(({ to_id }) => to_id),
    ...assignor,
    conversationUrl<AssignmentRow>(),
  ],
});

/** Changes of the group. @assumed The removal of a group is a row too, without a new group. */
export const conversationGroupAssigned = eventReport<AssignmentRow>({
  span: "month",
  step: "week",
  fromAnalytics: true,
  rows: GROUP_ASSIGNMENTS,
  columns: [
    ...conversationColumns<AssignmentRow>(),
    createdAt,
    ...groupColumns<AssignmentRow>(({ from_id }) => from_id, "from_"),
    ...groupColumns<AssignmentRow>(({ to_id }) => to_id),
    ...assignor,
    conversationUrl<AssignmentRow>(),
  ],
});

/** Interactions by their beginning, with their responses, resolution and rating. */
export const classicReports = eventReport<InteractionRow>({
  span: "month",
  step: "week",
  fromAnalytics: true,
  rows: FIND_RATED_CONVERSATIONS,
  columns: [
    ...conversationColumns<InteractionRow>(),
    { name: "customer_id", value: ({ user_id }) => user_id },
    ...channelColumns<InteractionRow>(),
    ...groupColumns<InteractionRow>(({ group_id }) => group_id),
    ...agentColumns<InteractionRow>(({ agent_id }) => agent_id),
    { name: "reopened", value: ({ reopened }) => reopened },
    { name: "created_at", value: ({ created_time }) => created_time },
    { name: "first_assigned_at", value: ({ first_assigned_time }) => first_assigned_time },
    { name: "first_response_at", value: ({ first_response_time }) => first_response_time },
    { name: "responses", value: ({ responses }) => responses },
    { name: "resolved_at", value: ({ resolved_time }) => resolved_time },
    {
      name: "resolution_time_in_seconds",
      value: ({ created_time, resolved_time }) => secondsBetween(created_time, resolved_time),
    },
    { name: "csat_value", value: ({ rating }) => rating },
    conversationUrl<InteractionRow>(),
  ],
});
