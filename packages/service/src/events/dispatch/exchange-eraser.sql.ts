import type { User } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import type { PersonalDataEraser } from "../../base/db/tables.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { BackgroundJobs, JobTasks } from "../../base/jobs/index.ts";

// Rows are locked in the order in which the dispatcher locks them. An outbound message belongs to no user but only to a phone number: the
// exchanges of all are erased.
const ERASE = statement(
  "",
  `update deliveries set exchange = null
    where (subscription_id, seq) in (
      select deliveries.subscription_id, deliveries.seq
        from subscriptions
        join deliveries on deliveries.subscription_id = subscriptions.id and deliveries.exchange is not null
       where subscriptions.account_id = $1
         and (deliveries.entity_id = $2
              or deliveries.entity_id in (select id from conversations where user_id = $2)
              or (deliveries.kind = 'outbound_message_update' and $3))
       order by deliveries.subscription_id, deliveries.seq
         for update of deliveries)`,
);

/** Task name stored in the database; must not change. */
const TASK = "erase-delivery-exchanges";
/** When no attempt that began before the deletion of a user can still be under way or unsaved. @units milliseconds */
const ATTEMPTS_END_MS = 120_000;

interface ErasedUser {
  readonly account: number;
  readonly user: string;
  readonly hasPhone: boolean;
}

interface ExchangeEraserDeps {
  readonly pool: Db;
  readonly jobs: Pick<BackgroundJobs, "schedule">;
  readonly ports: Pick<Ports, "now">;
}

/**
 * Erases what receivers answered to the events of a deleted user: a response may repeat the request. Requests that are under way during the
 * deletion are answered after it, so that their exchanges are erased by a background job.
 */
export const createExchangeEraser = ({
  pool,
  jobs,
  ports: { now },
}: ExchangeEraserDeps): { readonly eraser: PersonalDataEraser; readonly tasks: JobTasks } => {
  const erase = (db: Db, { account, user, hasPhone }: ErasedUser) => db.rows(ERASE, [account, user, hasPhone]);
  return {
    eraser: {
      async user(tx, account, bodies) {
        const users = bodies.map((body) => JSON.parse(body) as User);
        const [latest] = users;
        if (!latest) return;
        const erased = { account, user: latest.id, hasPhone: users.some(({ phone }) => phone !== undefined) };
        await erase(tx, erased);
        await jobs.schedule(tx, { task: TASK, payload: erased, due: new Date(now().getTime() + ATTEMPTS_END_MS) });
      },
    },
    tasks: { [TASK]: async (payload) => void (await erase(pool, payload as ErasedUser)) },
  };
};
