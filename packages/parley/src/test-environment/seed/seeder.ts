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
import { createAdminCalls } from "../../admin/admin-client.ts";
import type { AdjustableClock } from "../clock/clock.ts";
import type { DataSwap } from "../snapshot/data-swap.ts";
import { seedPeople } from "./people.ts";
import { seedPlanOf } from "./plan.ts";
import { seedConversations } from "./conversations.ts";

interface SeederDeps {
  readonly clock: Pick<AdjustableClock, "now" | "saveState" | "freeze">;
  readonly dataSwap: Pick<DataSwap, "fill">;
  readonly adminKey: string;
}

/** Number of completed steps of a seed document. */
interface SeedProgress {
  readonly done: number;
  readonly total: number;
}

export interface Seeder {
  /** @errors INVALID_VALUE, SEED_REFUSED; the message contains the path of the faulty member */
  readonly seed: (
    document: SeedDocument,
    choices: { readonly keep_seed?: boolean | undefined; readonly anew?: boolean | undefined },
  ) => Promise<Omit<SeededCounts, "milliseconds">>;
  /** -> undefined when no seed is being applied */
  readonly progress: () => SeedProgress | undefined;
}

/** Default account. */
const ACCOUNT = "acme";

/** Applies seed documents through the API, with the clock set to the documents' times. */
export const createSeeder = ({ clock, dataSwap, adminKey }: SeederDeps): Seeder => {
  let current: SeedProgress | undefined;

  /** Runs the work for one part of the document; refusals are prefixed with its path. */
  const withPath = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
    try {
      const result = await work();
      if (current) current = { ...current, done: current.done + 1 };
      return result;
    } catch (error) {
      if (isRefusal(error)) throw error;
      return refuse(SEED_REFUSED, `${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };

  const fill = async (document: SeedDocument, service: MessagingService): Promise<void> => {
    const { accounts = [], account = ACCOUNT, agents = [], users = [], conversations = [] } = document;
    const adminCalls = createAdminCalls(admin, service.url, adminKey);
    const apply = (body: (typeof accounts)[number]) =>
      adminCalls.applyAccount({ params: { account: body.name }, body });
    // The accounts' call limits are applied last, because the calls of the seed would count against them.
    for (const [index, { calls_per_hour: _, ...body }] of accounts.entries())
      await withPath(`accounts[${index}]`, () => apply(body));
    if (agents.length + users.length + conversations.length > 0) {
      const { id, token } = await withPath(`account '${account}'`, () =>
        service.admin.issueToken({ account, name: "seed", lifetimeSeconds: 86_400 }),
      );
      const client = parleyClient({ url: service.url, token, retries: { maxRetries: 0 } });
      const plan = seedPlanOf(document, clock.now());
      const present = clock.now();
      const setTime = (time: number | undefined) => clock.freeze(time === undefined ? present : new Date(time));
      const people = await seedPeople({ client, document, plan, setTime, withPath });
      await seedConversations({ client, document, plan, setTime, withPath, people });
      await service.admin.revokeToken(id);
    }
    for (const [index, body] of accounts.entries())
      if (body.calls_per_hour !== undefined) await withPath(`accounts[${index}]`, () => apply(body));
  };

  return {
    progress: () => current,
    async seed(document, { keep_seed: keepSeed = false, anew = false }) {
      const { accounts = [], agents = [], users = [], conversations = [] } = document;
      const total = accounts.length + agents.length + users.length + conversations.length;
      if (total === 0) refuse(INVALID_VALUE, "the document must have accounts, agents, users or conversations");
      // Validates the whole document before requests are held back.
      const { steps } = seedPlanOf(document, clock.now());
      current = { done: 0, total: accounts.length + agents.length + users.length + steps.length };
      const restoreClock = clock.saveState();
      try {
        await dataSwap.fill((service) => fill(document, service), { keepSeed, anew });
      } finally {
        current = undefined;
        restoreClock();
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
