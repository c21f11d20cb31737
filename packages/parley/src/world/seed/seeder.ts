import {
  admin,
  INVALID_VALUE,
  isRefusal,
  refuse,
  SEED_REFUSED,
  type SeedDocument,
  type SeededCounts,
} from "@parley/contract";
import { parleyClient } from "@parley/client";
import type { MessagingService } from "@parley/service";
import { createAdminCalls } from "../../admin/calls.ts";
import type { WorldClock } from "../clock/clock.ts";
import type { DataSwap } from "../snapshot/data-swap.ts";
import { seedPeople } from "./people.ts";
import { seedPlanOf } from "./plan.ts";
import { seedConversation } from "./seed-conversation.ts";

interface SeederDeps {
  readonly clock: Pick<WorldClock, "now" | "lend" | "freeze">;
  readonly exchange: Pick<DataSwap, "fill">;
  readonly adminKey: string;
}

/** How far a document has come true. */
interface SeedProgress {
  readonly done: number;
  readonly total: number;
}

export interface Seeder {
  /** @errors INVALID_VALUE, SEED_REFUSED that names the place */
  readonly seed: (
    document: SeedDocument,
    choices: { readonly keep_seed?: boolean | undefined; readonly anew?: boolean | undefined },
  ) => Promise<Omit<SeededCounts, "milliseconds">>;
  /** -> undefined while nothing is seeded */
  readonly progress: () => SeedProgress | undefined;
}

/** The usual account. */
const ACCOUNT = "acme";

/** Makes what a document says through the API, at the times that it says. */
export const createSeeder = ({ clock, exchange, adminKey }: SeederDeps): Seeder => {
  let standing: SeedProgress | undefined;

  /** Runs one part of the document; a refusal says which it was. */
  const at = async <T>(place: string, work: () => Promise<T>): Promise<T> => {
    try {
      const result = await work();
      if (standing) standing = { ...standing, done: standing.done + 1 };
      return result;
    } catch (error) {
      if (isRefusal(error)) throw error;
      return refuse(SEED_REFUSED, `${place}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };

  const fill = async (document: SeedDocument, service: MessagingService): Promise<void> => {
    const { accounts = [], account = ACCOUNT, agents = [], users = [], conversations = [] } = document;
    const owner = createAdminCalls(admin, service.url, adminKey);
    const apply = (body: (typeof accounts)[number]) => owner.applyAccount({ params: { account: body.name }, body });
    // An allowance of their own would count.
    for (const [index, { calls_per_hour: _, ...body }] of accounts.entries())
      await at(`accounts[${index}]`, () => apply(body));
    if (agents.length + users.length + conversations.length > 0) {
      const { id, token } = await at(`account '${account}'`, () =>
        service.admin.issueToken({ account, name: "seed", lifetimeSeconds: 86_400 }),
      );
      const client = parleyClient({ url: service.url, token, retries: { maxRetries: 0 } });
      const plan = seedPlanOf(document, clock.now());
      const present = clock.now();
      const when = (time: number | undefined) => clock.freeze(time === undefined ? present : new Date(time));
      const known = await seedPeople({ client, document, plan, when, at });
      await seedConversation({ client, document, plan, when, at, known });
      await service.admin.revokeToken(id);
    }
    for (const [index, body] of accounts.entries())
      if (body.calls_per_hour !== undefined) await at(`accounts[${index}]`, () => apply(body));
  };

  return {
    progress: () => standing,
    async seed(document, { keep_seed: keepSeed = false, anew = false }) {
      const { accounts = [], agents = [], users = [], conversations = [] } = document;
      const total = accounts.length + agents.length + users.length + conversations.length;
      if (total === 0) refuse(INVALID_VALUE, "the document must have accounts, agents, users or conversations");
      // What can be said beforehand is said before anything is held up.
      const { steps } = seedPlanOf(document, clock.now());
      standing = { done: 0, total: accounts.length + agents.length + users.length + steps.length };
      const giveBack = clock.lend();
      try {
        await exchange.fill((service) => fill(document, service), { keepSeed, anew });
      } finally {
        standing = undefined;
        giveBack();
      }
      const messages = conversations.reduce((sum, each) => sum + each.messages.length, 0);
      return {
        accounts: accounts.length,
        agents: agents.length,
        users: users.length,
        conversations: conversations.length,
        messages,
      };
    },
  };
};
