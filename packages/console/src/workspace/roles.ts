import type { AgentRole } from "@parley/contract";
import { VALUES } from "../contract-values.ts";

/** Whether a role has all rights of another role. The service decides; pages leave out what it would refuse. */
export const isAtLeast = (role: AgentRole, needed: AgentRole): boolean =>
  VALUES.agentRoles.indexOf(role) >= VALUES.agentRoles.indexOf(needed);
