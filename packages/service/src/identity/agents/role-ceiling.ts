import { FORBIDDEN, isAtLeast, rankedRole, refuse } from "@parley/contract";
import type { RequestActor } from "../../http/route-handlers.ts";

/**
 * A session can neither change an agent whose role is higher than its own, nor give such a role. Tokens and the admin key are not limited by
 * it: they belong to the account or the installation.
 * @shape roleIds: roles of the agent before and after the change
 * @errors FORBIDDEN
 */
export const checkRoleCeiling = ({ agent }: RequestActor, ...roleIds: readonly string[]): void => {
  if (!agent) return;
  const higher = roleIds.find((roleId) => !isAtLeast(agent.role_id, rankedRole(roleId)));
  if (higher !== undefined)
    refuse(
      FORBIDDEN,
      `The role ${rankedRole(higher)} is higher than that of the session: only an agent with this role can make this change.`,
    );
};

/** A session can't take its own agent's access away, so that an account keeps the admin who manages it. @errors FORBIDDEN */
export const checkNotOwnAgent = ({ agent }: RequestActor, agentId: string): void => {
  if (agent?.id === agentId)
    refuse(
      FORBIDDEN,
      "A session can't delete or deactivate its own agent, or change its role or scope: ask another admin.",
    );
};

/**
 * A session can't renew by the administration what its own agent signs in with: the own profile asks for the present password or a code, so
 * that a stolen session does not become the agent. The e-mail address belongs to it, since links for a new password are sent there.
 * @errors FORBIDDEN
 */
export const checkNotOwnSignIn = ({ agent }: RequestActor, agentId: string): void => {
  if (agent?.id === agentId)
    refuse(
      FORBIDDEN,
      "A session can't renew what its own agent signs in with by the administration: change the password and the second factor on /profile, " +
        "and ask another admin to change the e-mail address.",
    );
};
