import type { MetricAggregator, MetricInterval } from "@parley/contract";
import { isProblemError } from "@parley/client";
import { scene, type Scene } from "../conversations/conversations-harness.ts";

/** One event, derived from responses of the API. @units milliseconds */
export interface Happened {
  readonly measure: "created" | "wait" | "first_response" | "response" | "resolution";
  readonly time: number;
  readonly group: string | null;
  readonly agent: string | null;
  readonly ms: number;
}

/** The next action; numbers select among conversations and people. */
export interface Act {
  readonly act:
    "begin" | "user" | "agent" | "private" | "bot" | "agent to" | "group to" | "unassign" | "resolve" | "reopen";
  readonly which: number;
  readonly who: number;
  /** Time before it. @units seconds */
  readonly after: number;
}

/** The state of a conversation after an action. */
interface Seen {
  readonly time: number;
  readonly status: string;
  readonly agent: string | null;
  readonly group: string | null;
  readonly interaction: string;
}

interface Watched {
  readonly id: string;
  readonly userId: string;
  readonly seen: Seen[];
}

/** Performs random actions with a clock that the test moves, and records everything visible. */
export interface Play extends Scene {
  readonly agents: readonly string[];
  readonly groups: readonly string[];
  at(): number;
  /** @units seconds */
  pass(seconds: number): void;
  perform(act: Act): Promise<void>;
  /** Returns all events of the conversations so far. */
  happened(): Promise<Happened[]>;
  /** Returns the current conversations. */
  present(): Seen[];
}

export async function play(start: string): Promise<Play> {
  let time = Date.parse(start);
  const s = await scene({ ports: { now: () => new Date(time) } });
  const agents = ["Noah", "Olivia", "Hannah"].map((name) => s.agent(name).id);
  const groups = ["Support", "Sales"].map((name) => s.group(name));
  const watched: Watched[] = [];
  const choose = <T>(list: readonly T[], which: number): T => list[which % list.length] as T;

  const begin = async (who: number): Promise<void> => {
    const assigned = who % 3 === 0 ? { status: "assigned" as const, assigned_agent_id: choose(agents, who) } : {};
    const { conversation_id: id, user_id: userId } = await s.begin(assigned);
    watched.push({ id, userId, seen: [] });
  };

  const change = async ({ act, who }: Act, { id, userId }: Watched): Promise<unknown> => {
    const actor_id = choose(agents, who);
    switch (act) {
      case "user":
        return s.say(id, { actor_type: "user", actor_id: userId });
      case "agent":
        return s.say(id, { actor_type: "agent", actor_id });
      case "private":
        return s.say(id, { actor_type: "agent", actor_id, message_type: "private" });
      case "bot":
        return s.say(id, {});
      case "agent to":
        return s.put(id, { status: "assigned", assigned_agent_id: actor_id });
      case "group to":
        return s.put(id, { status: "assigned", assigned_group_id: choose(groups, who) });
      case "unassign":
        return s.put(id, { assigned_agent_id: "" });
      case "resolve":
        return s.put(id, { status: "resolved" });
      default:
        return s.put(id, { status: "reopened" });
    }
  };

  const look = async ({ id, seen }: Watched): Promise<void> => {
    const { status, assigned_agent_id, assigned_group_id } = await s.get(id);
    const interaction = (await s.said(id)).at(-1)?.interaction_id ?? "";
    seen.push({ time, status, interaction, agent: assigned_agent_id || null, group: assigned_group_id || null });
  };

  const responsesOf = async ({ id, seen }: Watched, interaction: string): Promise<Happened[]> => {
    const all = (await s.said(id)).filter(({ interaction_id }) => interaction_id === interaction);
    const end = all.findIndex(({ meta_data }) => meta_data?.["isResolved"] === true);
    const said = end < 0 ? all : all.slice(0, end);
    const isAnswer = (index: number) => said[index]?.actor_type === "agent" && said[index].message_type === "normal";
    const responses = said.flatMap((message, index): Happened[] => {
      if (!isAnswer(index)) return [];
      const previous = said.findLastIndex((_, before) => before < index && isAnswer(before));
      const asked = said.slice(previous + 1, index).find(({ actor_type }) => actor_type === "user");
      if (!asked) return [];
      const at = Date.parse(message.created_time);
      const group = seen.findLast((each) => each.time <= at)?.group ?? null;
      const ms = at - Date.parse(asked.created_time);
      return [{ measure: "response", time: at, group, agent: message.actor_id ?? null, ms }];
    });
    return [...responses, ...responses.slice(0, 1).map((first) => ({ ...first, measure: "first_response" as const }))];
  };

  const interactionOf = async (each: Watched, interaction: string): Promise<Happened[]> => {
    const states = each.seen.filter((state) => state.interaction === interaction);
    const first = states[0] as Seen;
    const assigned = states.find(({ agent }) => agent !== null);
    const resolved = states.find(({ status }) => status === "resolved");
    const noted = (measure: Happened["measure"], at: Seen | undefined): Happened[] =>
      at ? [{ measure, time: at.time, group: at.group, agent: at.agent, ms: at.time - first.time }] : [];
    return [
      ...noted("created", first),
      ...noted("wait", assigned),
      ...noted("resolution", resolved),
      ...(await responsesOf(each, interaction)),
    ];
  };

  return {
    ...s,
    agents,
    groups,
    at: () => time,
    pass: (seconds) => {
      time += seconds * 1_000;
    },
    async perform(act) {
      time += act.after * 1_000;
      if (act.act === "begin" || watched.length === 0) await begin(act.who);
      // Refused actions have no effect.
      else
        await change(act, choose(watched, act.which)).catch((error: unknown) => {
          if (!isProblemError(error)) throw error;
        });
      await look(
        act.act === "begin" || watched.length === 1 ? (watched.at(-1) as Watched) : choose(watched, act.which),
      );
    },
    async happened() {
      const lists = await Promise.all(
        watched.map(async (each) => {
          const interactions = [...new Set(each.seen.map(({ interaction }) => interaction))];
          return (await Promise.all(interactions.map((interaction) => interactionOf(each, interaction)))).flat();
        }),
      );
      return lists.flat();
    },
    present: () => watched.map(({ seen }) => seen.at(-1) as Seen),
  };
}

/** Start of the UTC interval to which a time belongs. */
const begins = (time: number, interval: MetricInterval): number => {
  const iso = new Date(time).toISOString();
  if (interval === "1h") return Date.parse(`${iso.slice(0, 13)}:00:00.000Z`);
  if (interval === "1M") return Date.parse(`${iso.slice(0, 7)}-01`);
  const day = Date.parse(iso.slice(0, 10));
  if (interval === "1d") return day;
  const since = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].indexOf(new Date(day).toUTCString().slice(0, 3));
  return day - since * 86_400_000;
};

/** Returns the events in the interval with the given start. */
export const inInterval = (all: readonly Happened[], start: string, interval: MetricInterval): Happened[] =>
  all.filter(({ time }) => begins(time, interval) === begins(Date.parse(start), interval));

/** -> NaN for an empty list @units seconds */
export const aggregate = (all: readonly Happened[], aggregator: MetricAggregator): number => {
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
