import type { MetricAggregator, MetricInterval } from "@parley/contract";
import { isProblemError } from "@parley/client";
import {
  conversationsHarness,
  type ConversationsHarness,
} from "../../../messaging/conversations/conversations-harness.ts";

/** One event, derived from responses of the API. @units milliseconds */
export interface MeasuredEvent {
  readonly measure: "created" | "wait" | "first_response" | "response" | "resolution";
  readonly time: number;
  readonly group: string | null;
  readonly agent: string | null;
  readonly ms: number;
}

/** The next action; numbers select among conversations and people. */
export interface RandomAction {
  readonly act:
    | "begin"
    | "user"
    | "agent"
    | "private"
    | "bot"
    | "agent to"
    | "group to"
    | "unassign"
    | "resolve"
    | "reopen";
  readonly which: number;
  readonly who: number;
  /** Time before it. @units seconds */
  readonly after: number;
}

/** The state of a conversation after an action. */
interface ObservedState {
  readonly time: number;
  readonly status: string;
  readonly agent: string | null;
  readonly group: string | null;
  readonly interaction: string;
}

interface ObservedConversation {
  readonly id: string;
  readonly userId: string;
  readonly states: ObservedState[];
}

/** Performs random actions with a clock that the test moves, and records everything visible. */
export interface ReferenceMetrics extends ConversationsHarness {
  readonly agents: readonly string[];
  readonly groups: readonly string[];
  nowMs(): number;
  /** @units seconds */
  advance(seconds: number): void;
  perform(act: RandomAction): Promise<void>;
  /** Returns all events of the conversations so far. */
  measuredEvents(): Promise<MeasuredEvent[]>;
  /** Returns the current conversations. */
  currentStates(): ObservedState[];
}

export async function referenceMetrics(start: string): Promise<ReferenceMetrics> {
  let time = Date.parse(start);
  const s = await conversationsHarness({ ports: { now: () => new Date(time) } });
  const agents = ["Noah", "Olivia", "Hannah"].map((name) => s.agentNamed(name).id);
  const groups = ["Support", "Sales"].map((name) => s.groupIdOf(name));
  const conversations: ObservedConversation[] = [];
  const choose = <T>(list: readonly T[], which: number): T => list[which % list.length] as T;

  const begin = async (who: number): Promise<void> => {
    const assigned = who % 3 === 0 ? { status: "assigned" as const, assigned_agent_id: choose(agents, who) } : {};
    const { conversation_id: id, user_id: userId } = await s.createConversation(assigned);
    conversations.push({ id, userId, states: [] });
  };

  const change = async ({ act, who }: RandomAction, { id, userId }: ObservedConversation): Promise<unknown> => {
    const actor_id = choose(agents, who);
    switch (act) {
      case "user":
        return s.createMessage(id, { actor_type: "user", actor_id: userId });
      case "agent":
        return s.createMessage(id, { actor_type: "agent", actor_id });
      case "private":
        return s.createMessage(id, { actor_type: "agent", actor_id, message_type: "private" });
      case "bot":
        return s.createMessage(id, {});
      case "agent to":
        return s.updateConversation(id, { status: "assigned", assigned_agent_id: actor_id });
      case "group to":
        return s.updateConversation(id, { status: "assigned", assigned_group_id: choose(groups, who) });
      case "unassign":
        return s.updateConversation(id, { assigned_agent_id: "" });
      case "resolve":
        return s.updateConversation(id, { status: "resolved" });
      default:
        return s.updateConversation(id, { status: "reopened" });
    }
  };

  const observe = async ({ id, states }: ObservedConversation): Promise<void> => {
    const { status, assigned_agent_id, assigned_group_id } = await s.getConversation(id);
    const interaction = (await s.listMessages(id)).at(-1)?.interaction_id ?? "";
    states.push({ time, status, interaction, agent: assigned_agent_id || null, group: assigned_group_id || null });
  };

  const responsesOf = async ({ id, states }: ObservedConversation, interaction: string): Promise<MeasuredEvent[]> => {
    const all = (await s.listMessages(id)).filter(({ interaction_id }) => interaction_id === interaction);
    const end = all.findIndex(({ meta_data }) => meta_data?.["isResolved"] === true);
    const messages = end < 0 ? all : all.slice(0, end);
    const isAnswer = (index: number) =>
      messages[index]?.actor_type === "agent" && messages[index].message_type === "normal";
    const responses = messages.flatMap((message, index): MeasuredEvent[] => {
      if (!isAnswer(index)) return [];
      const previous = messages.findLastIndex((_, before) => before < index && isAnswer(before));
      const question = messages.slice(previous + 1, index).find(({ actor_type }) => actor_type === "user");
      if (!question) return [];
      const at = Date.parse(message.created_time);
      const group = states.findLast((each) => each.time <= at)?.group ?? null;
      const ms = at - Date.parse(question.created_time);
      return [{ measure: "response", time: at, group, agent: message.actor_id ?? null, ms }];
    });
    return [...responses, ...responses.slice(0, 1).map((first) => ({ ...first, measure: "first_response" as const }))];
  };

  const interactionOf = async (each: ObservedConversation, interaction: string): Promise<MeasuredEvent[]> => {
    const states = each.states.filter((state) => state.interaction === interaction);
    const first = states[0] as ObservedState;
    const assigned = states.find(({ agent }) => agent !== null);
    const resolved = states.find(({ status }) => status === "resolved");
    const measured = (measure: MeasuredEvent["measure"], at: ObservedState | undefined): MeasuredEvent[] =>
      at ? [{ measure, time: at.time, group: at.group, agent: at.agent, ms: at.time - first.time }] : [];
    return [
      ...measured("created", first),
      ...measured("wait", assigned),
      ...measured("resolution", resolved),
      ...(await responsesOf(each, interaction)),
    ];
  };

  return {
    ...s,
    agents,
    groups,
    nowMs: () => time,
    advance: (seconds) => {
      time += seconds * 1_000;
    },
    async perform(act) {
      time += act.after * 1_000;
      if (act.act === "begin" || conversations.length === 0) await begin(act.who);
      // Refused actions have no effect.
      else
        await change(act, choose(conversations, act.which)).catch((error: unknown) => {
          if (!isProblemError(error)) throw error;
        });
      await observe(
        act.act === "begin" || conversations.length === 1
          ? (conversations.at(-1) as ObservedConversation)
          : choose(conversations, act.which),
      );
    },
    async measuredEvents() {
      const lists = await Promise.all(
        conversations.map(async (each) => {
          const interactions = [...new Set(each.states.map(({ interaction }) => interaction))];
          return (await Promise.all(interactions.map((interaction) => interactionOf(each, interaction)))).flat();
        }),
      );
      return lists.flat();
    },
    currentStates: () => conversations.map(({ states }) => states.at(-1) as ObservedState),
  };
}

/** Start of the UTC interval to which a time belongs. */
const intervalStart = (time: number, interval: MetricInterval): number => {
  const iso = new Date(time).toISOString();
  if (interval === "1h") return Date.parse(`${iso.slice(0, 13)}:00:00.000Z`);
  if (interval === "1M") return Date.parse(`${iso.slice(0, 7)}-01`);
  const day = Date.parse(iso.slice(0, 10));
  if (interval === "1d") return day;
  const since = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].indexOf(new Date(day).toUTCString().slice(0, 3));
  return day - since * 86_400_000;
};

/** Returns the events in the interval with the given start. */
export const inInterval = (all: readonly MeasuredEvent[], start: string, interval: MetricInterval): MeasuredEvent[] =>
  all.filter(({ time }) => intervalStart(time, interval) === intervalStart(Date.parse(start), interval));

/** -> NaN for an empty list @units seconds */
export const aggregate = (all: readonly MeasuredEvent[], aggregator: MetricAggregator): number => {
  const values = all.map(({ ms }) => ms / 1_000).sort((a, b) => a - b);
  switch (aggregator) {
    case "avg":
      return values.reduce((sum, value) => sum + value, 0) / values.length;
    case "min":
      return values[0] ?? NaN;
    case "max":
      return values.at(-1) ?? NaN;
    case "median":
      return values[Math.ceil(values.length / 2) - 1] ?? NaN;
    case "90th_percentile":
      return values[Math.ceil((values.length * 9) / 10) - 1] ?? NaN;
  }
};
