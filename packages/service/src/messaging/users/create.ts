import type { NewUser } from "@parley/contract";
import { currentTraceParent } from "@parley/telemetry";
import { checkProfileFields } from "../accounts/profile-fields.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { IdempotencyRecord } from "../../http/idempotency/idempotency-record.ts";
import { partitionOf } from "../../base/log/store.ts";
import type { UserStore } from "./store.ts";
import { newUser, userJson } from "./user.ts";

interface CreateUserDeps {
  readonly users: Pick<UserStore, "add">;
  readonly ports: Ports;
  /** Notifies the event dispatcher of a commit. */
  readonly wake: () => void;
}

/** Creates a user together with its event. -> its id and JSON text @errors INVALID_VALUE */
export type CreateUser = (
  accountId: number,
  input: NewUser,
  claim?: IdempotencyRecord,
) => Promise<{ readonly id: string; readonly text: string }>;

export const createCreateUser =
  ({ users, ports, wake }: CreateUserDeps): CreateUser =>
  async (accountId, input, claim) => {
    checkProfileFields(input);
    const user = newUser(input, ports);
    const text = userJson(user);
    await users.add({
      ...user,
      account_id: accountId,
      body: text,
      event_id: ports.newId(),
      trace_parent: currentTraceParent(),
      partition: partitionOf(user.id),
      claim,
    });
    wake();
    return { id: user.id, text };
  };
