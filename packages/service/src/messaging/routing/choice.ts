/** How a group distributes conversations: to the agent with the most free capacity, or to its agents in turn. */
export type AssigningLogic = "LOAD" | "ROUND_ROBIN";

/** An agent who takes automatic assignments. */
export interface RoutedAgent {
  readonly id: string;
  /** Ids of groups. */
  readonly groups: readonly string[];
  /** Open conversations that the agent takes by load. */
  readonly capacity: number;
  /** Open conversations that are assigned to the agent. */
  readonly load: number;
  /** Number of the last automatic assignment among those of the account; 0: no automatic assignment yet. */
  readonly turn: number;
  readonly is_signed_in: boolean;
}

/** A group whose routing is on. */
export interface RoutedGroup {
  readonly id: string;
  readonly logic: AssigningLogic;
  /** Takes agents who are signed in only. */
  readonly signed_in_agents_only: boolean;
}

/** An agent for a conversation, with what decided it. */
export interface ChosenAgent<C> {
  readonly conversation: C;
  readonly agent: RoutedAgent;
  readonly logic: AssigningLogic;
  /** Open conversations of the agent before this assignment. */
  readonly load: number;
}

/** An agent with the assignments of this choice. */
interface Turn {
  readonly agent: RoutedAgent;
  load: number;
  /** Sorts agents by their last assignment. */
  turn: number;
}

const compareTurns = (one: Turn, other: Turn): number =>
  one.turn - other.turn || (one.agent.id < other.agent.id ? -1 : 1);

/** The smaller part of the capacity is in use, then the earlier last assignment. */
const compareLoads = (one: Turn, other: Turn): number =>
  one.load / one.agent.capacity - other.load / other.agent.capacity || compareTurns(one, other);

const best = (turns: readonly Turn[], compare: (one: Turn, other: Turn) => number): Turn | undefined =>
  turns.reduce<Turn | undefined>((found, each) => (found && compare(found, each) <= 0 ? found : each), undefined);

/** Whether the routing of a group may choose an agent. */
const isChoosable = ({ id, signed_in_agents_only }: RoutedGroup, { groups, is_signed_in }: RoutedAgent): boolean =>
  groups.includes(id) && (is_signed_in || !signed_in_agents_only);

/**
 * Number of conversations that a group's agents can take now, at most `limit`.
 * @assumed The capacity of agents counts for load-based groups only, as the specification defines it: in turn, an available agent gets any
 * number of conversations.
 */
export const placesIn = (group: RoutedGroup, agents: readonly RoutedAgent[], limit: number): number => {
  const members = agents.filter((agent) => isChoosable(group, agent));
  if (group.logic === "ROUND_ROBIN") return members.length > 0 ? limit : 0;
  return Math.min(
    limit,
    members.reduce((sum, { capacity, load }) => sum + Math.max(0, capacity - load), 0),
  );
};

/**
 * Chooses agents for conversations, in the order of the conversations. One for which no agent of its group is left is skipped: it waits.
 * @spec Resources and their fields > Agent object
 * @assumed Load-based: the agent who uses the smallest part of the capacity. Of equal agents, and in turn: the agent whose last
 * automatic assignment is the longest ago.
 */
export const chooseAgents = <C extends { readonly assigned_group_id: string | null }>(
  groups: readonly RoutedGroup[],
  agents: readonly RoutedAgent[],
  conversations: readonly C[],
): ChosenAgent<C>[] => {
  const turns = agents.map((agent): Turn => ({ agent, load: agent.load, turn: agent.turn }));
  const membersOf = new Map(
    groups.map((group) => [group.id, turns.filter(({ agent }) => isChoosable(group, agent))] as const),
  );
  const logicOf = new Map(groups.map(({ id, logic }) => [id, logic]));
  let lastTurn = Math.max(0, ...turns.map(({ turn }) => turn));
  const chosen: ChosenAgent<C>[] = [];
  for (const conversation of conversations) {
    const group = conversation.assigned_group_id ?? "";
    const logic = logicOf.get(group);
    const members = membersOf.get(group) ?? [];
    if (!logic) continue;
    const turn =
      logic === "ROUND_ROBIN"
        ? best(members, compareTurns)
        : best(
            members.filter(({ agent, load }) => load < agent.capacity),
            compareLoads,
          );
    if (!turn) continue;
    chosen.push({ conversation, agent: turn.agent, logic, load: turn.load });
    turn.load += 1;
    turn.turn = lastTurn += 1;
  }
  return chosen;
};
