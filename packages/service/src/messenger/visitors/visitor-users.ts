import { refuse, UNAUTHENTICATED, type Visitor, type VisitorProfile } from "@parley/contract";
import type { Db, Pool } from "@parley/database";
import type { Ports } from "../../base/environment/ports.ts";
import type { CreateUser } from "../../messaging/users/create.ts";
import { visitorStore } from "./store.ts";

interface VisitorUsersDeps {
  readonly pool: Pool;
  readonly ports: Pick<Ports, "now" | "random">;
  readonly createUser: CreateUser;
}

/** Four digits distinguish the anonymous customers that an agent has before them. @units bytes */
const GENERATED_NAME_BYTES = 2;

/** Without spaces at its ends; empty without a name. */
const nameOf = ({ first_name = "", last_name = "" }: Pick<VisitorProfile, "first_name" | "last_name">): string =>
  `${first_name} ${last_name}`.trim();

/** Names of the properties that a page sets. */
export const propertyNamesIn = ({ properties = [] }: VisitorProfile): readonly string[] =>
  properties.map(({ name }) => name);

/** The users of visitors: their creation, and what visitors see of themselves. */
export const createVisitorUsers = ({ pool, ports, createUser }: VisitorUsersDeps) => {
  const store = visitorStore(pool);

  /** `4F2A` */
  const generatedLastName = (): string => ports.random(GENERATED_NAME_BYTES).toString("hex").toUpperCase();

  return {
    /**
     * Creates the user of a new visitor, with a generated name if there is no other. -> its id
     * @shape tx: a transaction of the caller. The user itself is created at once, on a connection of its own.
     */
    async create(
      accountId: number,
      {
        externalId,
        profile = {},
      }: { readonly externalId: string | undefined; readonly profile?: VisitorProfile | undefined },
      tx: Db = pool,
    ): Promise<string> {
      // Apps greet by the first name, agents tell visitors apart by the last name.
      const generated = nameOf(profile) ? undefined : { first_name: "Visitor", last_name: generatedLastName() };
      const { id } = await createUser(accountId, {
        ...profile,
        ...generated,
        ...(externalId !== undefined && { reference_id: externalId }),
      });
      await visitorStore(tx).insert({
        account_id: accountId,
        user_id: id,
        created_time: ports.now(),
        generated_name: generated ? nameOf(generated) : null,
        property_names: propertyNamesIn(profile),
      });
      return id;
    },
    /**
     * The user as the user itself sees it. Of its properties those that pages have set: agents and apps note others.
     * @errors UNAUTHENTICATED if the user was deleted after the session was checked
     */
    async shown(accountId: number, userId: string): Promise<Visitor> {
      const { user, generatedName, propertyNames } =
        (await store.find(accountId, userId)) ?? refuse(UNAUTHENTICATED, "The user of the session was deleted.");
      const { id, created_time, reference_id, restore_id = "", first_name, last_name, email, phone } = user;
      const properties = user.properties?.filter(({ name }) => propertyNames.has(name));
      return {
        user_id: id,
        created_time,
        ...(reference_id && { external_id: reference_id }),
        restore_id,
        is_name_generated: generatedName !== null && generatedName === nameOf(user),
        ...{ first_name, last_name, email, phone, properties },
      };
    },
  };
};
export type VisitorUsers = ReturnType<typeof createVisitorUsers>;
