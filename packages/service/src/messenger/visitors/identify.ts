import { refuse, VISITOR_BLOCKED, type IDENTIFICATIONS } from "@parley/contract";
import type { Pool } from "@parley/database";
import { hashOf } from "../../identity/authentication/secrets/secrets.ts";
import type { ChangeUser } from "../../messaging/users/change.ts";
import { visitorStore } from "./store.ts";
import type { VisitorThrottle } from "./throttle.ts";

interface IdentifyDeps {
  readonly pool: Pool;
  readonly changeUser: ChangeUser;
  readonly throttle: VisitorThrottle;
}

interface Identity {
  readonly accountId: number;
  readonly externalId: string;
  readonly restoreId: string;
  /** IP address. */
  readonly address: string;
}

/** A visitor who gives an external_id, with a restore_id or without. */
interface IdentifiedVisitor extends Omit<Identity, "restoreId"> {
  readonly userId: string;
  readonly restoreId?: string | undefined;
}

interface Identification {
  readonly identification: (typeof IDENTIFICATIONS)[number];
  /** The user of the visitor afterwards. Absent for `separate`. */
  readonly userId?: string;
}

/** Who a visitor is: the rules of external_id and restore_id. */
export const createIdentify = ({ pool, changeUser, throttle }: IdentifyDeps) => {
  /**
   * Finds the user of an external_id by the restore_id.
   * @shape undefined, equally for an unknown external_id and a wrong restore_id
   * @errors TOO_MANY_REQUESTS, VISITOR_BLOCKED
   */
  const findRestorable = async ({
    accountId,
    externalId,
    restoreId,
    address,
  }: Identity): Promise<string | undefined> => {
    throttle.checkRestore(address);
    const found = await visitorStore(pool).restorable(accountId, externalId, hashOf(restoreId));
    if (!found) throttle.countWrongRestore(address);
    return found?.is_blocked ? refuse(VISITOR_BLOCKED) : found?.id;
  };

  /** Gives an anonymous user an external_id that no user has. -> whether the user has it now */
  const keepUser = ({ accountId, externalId, userId }: IdentifiedVisitor): Promise<boolean> =>
    pool.transaction(async (tx) => {
      const store = visitorStore(tx);
      await store.lockReference(accountId, externalId);
      const user = (await store.find(accountId, userId))?.user;
      if (user?.reference_id === externalId) return true;
      if (!user || user.reference_id !== undefined || (await store.isReferenceTaken(accountId, externalId)))
        return false;
      const change = { input: { reference_id: externalId }, fields: ["reference_id"] as const };
      return (await changeUser(accountId, userId, change, tx))?.reference_id === externalId;
    });

  return {
    findRestorable,
    /** @errors TOO_MANY_REQUESTS, VISITOR_BLOCKED */
    async identify({ restoreId, ...visitor }: IdentifiedVisitor): Promise<Identification> {
      const restored = restoreId === undefined ? undefined : await findRestorable({ ...visitor, restoreId });
      if (restored !== undefined && restored !== visitor.userId)
        return { identification: "restored", userId: restored };
      if (restored !== undefined || (await keepUser(visitor)))
        return { identification: "kept", userId: visitor.userId };
      return { identification: "separate" };
    },
  };
};
export type Identify = ReturnType<typeof createIdentify>;
