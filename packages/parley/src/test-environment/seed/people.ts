import type { ParleyClient } from "@parley/client";
import { refuse, SEED_REFUSED, type SeedAgent, type SeedDocument, type SeedUser, type User } from "@parley/contract";
import type { SeedPlan } from "./plan.ts";

/** Dependencies of the steps that apply a seed document. */
export interface SeedDeps {
  readonly client: ParleyClient;
  readonly document: SeedDocument;
  readonly plan: SeedPlan;
  /** Freezes the clock at a time. @units epoch milliseconds; undefined: the present */
  readonly setTime: (time: number | undefined) => void;
  /** Runs the work for one part of the document; refusals are prefixed with its path. */
  readonly withPath: <T>(path: string, work: () => Promise<T>) => Promise<T>;
}

/** Resolves names of the document to ids. @errors SEED_REFUSED for an unknown name */
export interface SeededPeople {
  agent(email: string, path: string): string;
  group(name: string, path: string): string;
  channel(name: string, path: string): string;
  user(name: string, path: string): Promise<string>;
}

const resolverOf =
  (kind: string, ids: ReadonlyMap<string, string>) =>
  (name: string, path: string): string =>
    ids.get(name.toLowerCase()) ?? refuse(SEED_REFUSED, `${path}: there is no ${kind} '${name.slice(0, 100)}'`);

/** Ids by lower-case name and by id. */
const idsOf = async (items: AsyncIterable<{ readonly id: string; readonly name: string }>) => {
  const ids = new Map<string, string>();
  for await (const { id, name } of items) {
    ids.set(id, id);
    if (!ids.has(name.toLowerCase())) ids.set(name.toLowerCase(), id);
  }
  return ids;
};

const findUser = async (
  client: ParleyClient,
  { reference_id, email }: Pick<SeedUser, "reference_id" | "email">,
): Promise<User | undefined> => {
  if (reference_id === undefined && email === undefined) return undefined;
  const query = reference_id === undefined ? { email } : { reference_id };
  return (await client.users.listUsers({ query })).users[0];
};

/** Creates or updates the agents and users of a document, and returns a resolver for the names that its conversations use. */
export async function seedPeople({ client, document, plan, setTime, withPath }: SeedDeps): Promise<SeededPeople> {
  const { agents = [], users = [] } = document;
  const groups = resolverOf("group", await idsOf(client.groups.listGroups.items({ query: { items_per_page: 100 } })));
  const channels = resolverOf(
    "channel",
    await idsOf(client.channels.listChannels.items({ query: { items_per_page: 100 } })),
  );
  const byEmail = new Map<string, string>();
  for await (const { id, email } of client.agents.listAgents.items({ query: { items_per_page: 100 } }))
    byEmail.set(email.toLowerCase(), id);

  const makeAgent = async ({ created_time: _, ...fields }: SeedAgent, path: string): Promise<void> => {
    const body = {
      ...fields,
      ...(fields.groups && { groups: fields.groups.map((name) => groups(name, `${path}.groups`)) }),
    };
    const id = byEmail.get(fields.email.toLowerCase());
    const saved = await (id === undefined
      ? client.agents.createAgent({ body })
      : client.agents.updateAgent({ params: { agent_id: id }, body }));
    byEmail.set(fields.email.toLowerCase(), saved.id);
  };
  for (const [index, agent] of agents.entries()) {
    setTime(agent.created_time === undefined ? undefined : Date.parse(agent.created_time));
    await withPath(`agents[${index}]`, () => makeAgent(agent, `agents[${index}]`));
  }

  const userIds = new Map<string, string>();
  const makeUser = async ({ created_time: _, ...body }: SeedUser): Promise<void> => {
    const existing = await findUser(client, body);
    if (existing) await client.users.updateUser({ params: { user_id: existing.id }, body });
    const { id } = existing ?? (await client.users.createUser({ body }));
    for (const name of [body.email, body.reference_id, id]) if (name !== undefined) userIds.set(name, id);
  };
  for (const [index, user] of users.entries()) {
    setTime(plan.users[index]);
    await withPath(`users[${index}]`, () => makeUser(user));
  }

  return {
    agent: resolverOf("agent", byEmail),
    group: groups,
    channel: channels,
    async user(name, path) {
      const knownId = userIds.get(name);
      if (knownId !== undefined) return knownId;
      const found =
        (await findUser(client, { reference_id: name })) ??
        (name.includes("@") ? await findUser(client, { email: name }) : undefined);
      const id = found?.id ?? (await client.users.getUser({ params: { user_id: name } }).catch(() => undefined))?.id;
      if (id === undefined) return refuse(SEED_REFUSED, `${path}: there is no user '${name.slice(0, 100)}'`);
      userIds.set(name, id);
      return id;
    },
  };
}
