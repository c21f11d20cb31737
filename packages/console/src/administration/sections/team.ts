/** The pages of the section Team, which load together. */
export { AgentsPage } from "../agents/agents-page.tsx";
export { AgentPage } from "../agents/agent-page.tsx";
export { RolesPage } from "../roles/roles-page.tsx";
export { IdentityProvidersPage } from "../identity-providers/providers-page.tsx";
export { GroupsPage } from "../groups/groups-page.tsx";
