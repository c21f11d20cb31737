import {
  ACCOUNT_EXISTS,
  ACCOUNT_NOT_FOUND,
  refuse,
  type AccountDocument,
  type CreatedAccount,
  type NewAccount,
} from "@parley/contract";
import type { Db, Pool } from "@parley/database";
import { checkEmail } from "../../../messaging/accounts/profile-fields.ts";
import { newAgent } from "../../../identity/agents/agent.ts";
import { insertAgents } from "../../../identity/agents/store.ts";
import type { RecordAudit } from "../../../identity/audit/record.sql.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import type { RequestActor } from "../../../http/route-handlers.ts";
import type { IdentityAdministration } from "../../../identity/authentication/credential-administration.ts";
import { credentialStore } from "../../../identity/authentication/credentials/store.ts";
import { readState } from "../document/account-lists.sql.ts";
import { applyDocumentWithin } from "../document/apply.ts";
import { BUILT_IN_ROLES } from "../document/sections/agents-and-groups.ts";
import type { AccountLists } from "../document/sections/state.ts";
import { setupStore } from "../document/store.ts";

interface CreateAccountDeps {
  readonly pool: Pool;
  readonly ports: Ports;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
  readonly administration: Pick<IdentityAdministration, "issuePasswordLink" | "originOfLinks">;
  readonly recordAudit: RecordAudit;
}

interface CreateAccountRequest {
  readonly account: NewAccount;
  readonly actor: RequestActor;
  /** Host header of the request. */
  readonly host: string | undefined;
}

const OWNER_ROLE_ID = "ACCOUNT_ADMIN";

/**
 * The document of a new account.
 * @assumed What a business needs to take its first conversation: the topic Inbox, the group Team, the statuses Available and Away, and the
 * built-in roles. The account is stand-alone, as with a document that names no bundle; the field priority is added with a bundle.
 */
const initialDocument = ({ name, plan_type }: NewAccount): AccountDocument => ({
  name,
  ...(plan_type !== undefined && { plan_type }),
  channels: [{ name: "Inbox" }],
  groups: [{ name: "Team", description: "Everyone who answers customers" }],
});

/** @assumed The owner belongs to every group of the new account. */
const ownerOf = ({ owner }: NewAccount, { groups, statuses }: AccountLists, ports: Ports) => {
  const role = BUILT_IN_ROLES.find(({ id }) => id === OWNER_ROLE_ID);
  if (!role) throw new Error(`the role ${OWNER_ROLE_ID} is not built in`);
  const available = statuses.find((each) => each.availability_status === "AVAILABLE");
  return newAgent(owner, { groups, role }, available, ports);
};

/** Creates accounts without customers and conversations, with an owner who is invited. */
export const createAccountCreation = ({ pool, ports, domain, administration, recordAudit }: CreateAccountDeps) => {
  const invite = async (tx: Db, key: { readonly account_id: number; readonly agent_id: string }, origin: string) => {
    const agent = (await credentialStore(tx).byAgent(key)) ?? refuse(ACCOUNT_NOT_FOUND);
    return administration.issuePasswordLink(tx, { agent, purpose: "invitation", origin });
  };

  /** @errors ACCOUNT_EXISTS, INVALID_VALUE for an invalid e-mail address; nothing is created then */
  return async ({ account, actor, host }: CreateAccountRequest): Promise<CreatedAccount> => {
    checkEmail(account.owner.email);
    const origin = administration.originOfLinks(host);
    return pool.transaction(async (tx) => {
      const store = setupStore(tx);
      await store.lock(account.name);
      const present = await store.byName(account.name);
      if (present?.closed_time)
        refuse(
          ACCOUNT_EXISTS,
          "A closed account has this name. It is free again once the data of that account is deleted.",
        );
      if (present) refuse(ACCOUNT_EXISTS);
      const options = { dryRun: false, prune: false };
      await applyDocumentWithin(tx, { ports, domain }, initialDocument(account), options);
      const row = (await store.byName(account.name)) ?? refuse(ACCOUNT_NOT_FOUND);
      const owner = ownerOf(account, (await readState(tx, row)).lists, ports);
      await insertAgents(tx, row.id, [owner]);
      const { link, email, expires_time } = await invite(tx, { account_id: row.id, agent_id: owner.id }, origin);
      await recordAudit(tx, {
        actor,
        action: "account.create",
        account: row,
        subject: account.name,
        details: { owner: email },
      });
      return { id: row.id, account: account.name, owner_id: owner.id, email, link, expires_time };
    });
  };
};
