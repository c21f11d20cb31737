import type { ParleyClient } from "@parley/client";
import { refuse, SEED_REFUSED, type SeedAgent, type SeedDocument, type SeedUser, type User } from "@parley/contract";
import type { SeedPlan } from "./plan.ts";

/** Dependencies of the steps that apply a seed document. */
export interface SeedDeps {
  readonly client: ParleyClient;
  readonly document: SeedDocument;
  readonly plan: SeedPlan;
  /** Freezes the clock at a time. @units epoch milliseconds; undefined: the present */
  readonly when: (time: number | undefined) => void;
  /** Runs the work for one part of the document; refusals are prefixed with its path. */
  readonly at: <T>(place: string, work: () => Promise<T>) => Promise<T>;
}

/** Resolves names of the document to ids. @errors SEED_REFUSED for an unknown name */
export interface SeededPeople {
  agent(email: string, place: string): string;
  group(name: string, place: string): string;
  channel(name: string, place: string): string;
  user(name: string, place: string): Promise<string>;
}

const named =
  (what: string, ids: ReadonlyMap<string, string>) =>
  (name: string, place: string): string =>
    ids.get(name.toLowerCase()) ?? refuse(SEED_REFUSED, `${place}: there is no ${what} '${name.slice(0, 100)}'`);

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
export async function seedPeople({ client, document, plan, when, at }: SeedDeps): Promise<SeededPeople> {
  const { agents = [], users = [] } = document;
  const groups = named("group", await idsOf(client.groups.listGroups.items({ query: { items_per_page: 100 } })));
  const channels = named(
    "channel",
    await idsOf(client.channels.listChannels.items({ query: { items_per_page: 100 } })),
  );
  const byEmail = new Map<string, string>();
  for await (const { id, email } of client.agents.listAgents.items({ query: { items_per_page: 100 } }))
    byEmail.set(email.toLowerCase(), id);

  const makeAgent = async ({ created_time: _, ...given }: SeedAgent, place: string): Promise<void> => {
    const body = {
      ...given,
      ...(given.groups && { groups: given.groups.map((name) => groups(name, `${place}.groups`)) }),
    };
    const id = byEmail.get(given.email.toLowerCase());
    const made = await (id === undefined
      ? client.agents.createAgent({ body })
      : client.agents.updateAgent({ params: { agent_id: id }, body }));
    byEmail.set(given.email.toLowerCase(), made.id);
  };
  for (const [index, agent] of agents.entries()) {
    when(agent.created_time === undefined ? undefined : Date.parse(agent.created_time));
    await at(`agents[${index}]`, () => makeAgent(agent, `agents[${index}]`));
  }

  const userIds = new Map<string, string>();
  const makeUser = async ({ created_time: _, ...body }: SeedUser): Promise<void> => {
    const present = await findUser(client, body);
    if (present) await client.users.updateUser({ params: { user_id: present.id }, body });
    const { id } = present ?? (await client.users.createUser({ body }));
    for (const name of [body.email, body.reference_id, id]) if (name !== undefined) userIds.set(name, id);
  };
  for (const [index, user] of users.entries()) {
    when(plan.users[index]);
    await at(`users[${index}]`, () => makeUser(user));
  }

  return {
    agent: named("agent", byEmail),
    group: groups,
    channel: channels,
    async user(name, place) {
      const known = userIds.get(name);
      if (known !== undefined) return known;
      const found =
        (await findUser(client, { reference_id: name })) ??
        (name.includes("@") ? await findUser(client, { email: name }) : undefined);
      const id = found?.id ?? (await client.users.getUser({ params: { user_id: name } }).catch(() => undefined))?.id;
      if (id === undefined) return refuse(SEED_REFUSED, `${place}: there is no user '${name.slice(0, 100)}'`);
      userIds.set(name, id);
      return id;
    },
  };
}
