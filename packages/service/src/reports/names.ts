import type { Names } from "./column.ts";
import type { ReportStore } from "./store.ts";

/** Reads what ids of an account's agents, groups and channels stand for. */
export async function namesOf(store: ReportStore, accountId: number): Promise<Names> {
  const [agents, groups, channels] = await Promise.all([
    store.agents(accountId),
    store.groups(accountId),
    store.channels(accountId),
  ]);
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  const groupNames = new Map(groups.map(({ id, name }) => [id, name]));
  const channelNames = new Map(channels.map(({ id, name }) => [id, name]));
  return {
    agent: (id) => (id === null ? undefined : byId.get(id)),
    group: (id) => (id === null ? undefined : groupNames.get(id)),
    channel: (id) => (id === null ? undefined : channelNames.get(id)),
  };
}
