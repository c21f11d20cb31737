import { isProblemError } from "@parley/client/session";
import type { Agent } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { PersonAvatar } from "../../ui/avatar.tsx";
import { Badge } from "../../ui/badge.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { agentName, useWorkspace } from "../../workspace/workspace.ts";
import administration from "../administration.module.css";
import { LoadState } from "../load-state.tsx";
import { usePageTitle } from "../../ui/page-title.ts";
import { administrationMessages } from "../messages.ts";
import { AccessSection } from "./access-section.tsx";
import { agentPageMessages as texts } from "./agent-page-messages.ts";
import { ProfileSection, WorkSection } from "./agent-profile.tsx";
import { isOwn as isOwnAgent, mayGive } from "./agent-values.ts";
import { agentQuery, rolesQuery } from "./agents-query.ts";
import { BackLink } from "../page-header.tsx";
import styles from "./agents.module.css";
import { agentMessages } from "./messages.ts";
import { SignInSection } from "./sign-in-section.tsx";

const route = getRouteApi("/admin/agents/$agentId");

/** The sessions, where they are listed, say whether the agent is signed in. */
const Heading = ({ agent, hasSessions }: { readonly agent: Agent; readonly hasSessions: boolean }) => {
  const name = agentName(agent);
  usePageTitle([name, administrationMessages.agents, administrationMessages.title]);
  return (
    <header className={styles.person}>
      <PersonAvatar name={name} url={agent.avatar?.url} of={{ agent_id: agent.id }} />
      <div>
        <h1 className={administration.title}>{name}</h1>
        <div className={styles.badges}>
          <Badge tone={agent.is_deactivated ? "danger" : "success"}>
            {agent.is_deactivated ? agentMessages.deactivated : agentMessages.active}
          </Badge>
          {!hasSessions && <Badge>{agent.login_status ? agentMessages.signedIn : agentMessages.signedOut}</Badge>}
        </div>
      </div>
    </header>
  );
};

const AgentDetails = ({ agent }: { readonly agent: Agent }) => {
  const { account, agent: session } = useWorkspace();
  const roles = useQuery(rolesQuery(account.name));
  const isOwn = isOwnAgent(session, agent);
  const mayChange = mayGive(session, agent.role_id);
  return (
    <>
      <Heading agent={agent} hasSessions={mayChange} />
      {!mayChange && <p className={administration.notice}>{texts.higherRole(agent.role_name)}</p>}
      {isOwn && <p className={administration.notice}>{texts.own}</p>}
      <LoadState query={roles}>{(all) => <ProfileSection agent={agent} roles={all} mayChange={mayChange} />}</LoadState>
      <WorkSection agent={agent} mayChange={mayChange} />
      {mayChange && (
        <>
          <SignInSection agent={agent} isOwn={isOwn} />
          <AccessSection agent={agent} isOwn={isOwn} />
        </>
      )}
    </>
  );
};

/** One agent: profile, conversations, sign-in and access. */
export const AgentPage = () => {
  const { agentId } = route.useParams();
  const { account } = useWorkspace();
  const query = useQuery(agentQuery(account.name, agentId));
  return (
    <div className={administration.page}>
      <BackLink to="/admin/agents" label={texts.back} />
      {isProblemError(query.error) && query.error.problem.status === "AGENT_NOT_FOUND" ? (
        <EmptyState icon="person" title={texts.notFound} isPage text={texts.notFoundText} />
      ) : (
        <LoadState query={query}>{(agent) => <AgentDetails key={agent.id} agent={agent} />}</LoadState>
      )}
    </div>
  );
};
