import type { Agent } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { formatNumber } from "../../i18n/format.ts";
import { createStore, useStore } from "../../state/store.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { Select } from "../../ui/select.tsx";
import { agentName, createNames, useWorkspace } from "../../workspace/workspace.ts";
import styles from "../administration.module.css";
import { LoadState } from "../load-state.tsx";
import { administrationMessages } from "../messages.ts";
import { PageHeader } from "../page-header.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { AGENT_STATES, filterAgents, isOwn, noFilter, type AgentFilter } from "./agent-values.ts";
import { agentsQuery, rolesQuery } from "./agents-query.ts";
import own from "./agents.module.css";
import { agentMessages as texts } from "./messages.ts";
import { NewAgentDialog } from "./new-agent-dialog.tsx";

/** Outlives the page, which is left for an agent and returned to. */
const filterStore = createStore<AgentFilter>(noFilter);

const Filter = ({ filter }: { readonly filter: AgentFilter }) => {
  const { groups } = useWorkspace();
  const change = (part: Partial<AgentFilter>): void => filterStore.update((present) => ({ ...present, ...part }));
  return (
    <div className={styles.tools} role="search">
      <div className={own.search}>
        <SearchField
          label={texts.search}
          placeholder={texts.search}
          value={filter.text}
          onChange={(text) => change({ text })}
        />
      </div>
      <Select
        label={texts.state}
        isLabelHidden
        choices={AGENT_STATES.map((id) => ({ id, label: texts[id] }))}
        value={filter.state}
        onChange={(state) => change({ state })}
      />
      <Select
        label={texts.group}
        isLabelHidden
        choices={[{ id: undefined, label: texts.anyGroup }, ...groups.map(({ id, name }) => ({ id, label: name }))]}
        value={filter.group}
        onChange={(group) => change({ group })}
      />
    </div>
  );
};

const Name = ({ agent }: { readonly agent: Agent }) => {
  const { agent: session } = useWorkspace();
  const name = agentName(agent);
  return (
    <div className={own.name}>
      <Link to="/admin/agents/$agentId" params={{ agentId: agent.id }}>
        {name}
      </Link>{" "}
      {isOwn(session, agent) && <Badge>{texts.you}</Badge>}
      {name !== agent.email && <span className={styles.detail}>{agent.email}</span>}
    </div>
  );
};

const Status = ({ agent_status, availability_status, login_status, is_deactivated }: Agent) => (
  <span className={own.line}>
    <Badge tone={availability_status === "AVAILABLE" && !is_deactivated ? "success" : "neutral"}>
      {agent_status?.name ?? (availability_status === "AVAILABLE" ? texts.available : texts.unavailable)}
    </Badge>
    <span className={styles.detail}>{login_status ? texts.signedIn : texts.signedOut}</span>
  </span>
);

const AgentTable = ({ agents }: { readonly agents: readonly Agent[] }) => {
  const names = createNames(useWorkspace());
  const columns: readonly Column<Agent>[] = [
    { id: "name", label: texts.name, cell: (agent) => <Name agent={agent} /> },
    { id: "role", label: texts.role, cell: ({ role_name }) => role_name },
    {
      id: "groups",
      label: texts.groups,
      cell: ({ groups }) => groups.map(names.group).join(", ") || texts.noGroups,
    },
    { id: "scope", label: texts.scope, cell: ({ scope = "Group" }) => texts[scope] },
    { id: "capacity", label: texts.capacity, cell: ({ agent_capacity = 0 }) => formatNumber(agent_capacity) },
    { id: "status", label: texts.status, cell: Status },
    {
      id: "state",
      label: texts.state,
      cell: ({ is_deactivated }) => (
        <Badge tone={is_deactivated ? "danger" : "neutral"}>{is_deactivated ? texts.deactivated : texts.active}</Badge>
      ),
    },
  ];
  return <RecordTable label={administrationMessages.agents} columns={columns} records={agents} idOf={({ id }) => id} />;
};

/** The agents of the account, with their roles and availability. */
export const AgentsPage = () => {
  const { account } = useWorkspace();
  const query = useQuery(agentsQuery(account.name));
  const roles = useQuery(rolesQuery(account.name));
  const filter = useStore(filterStore);
  const [isCreating, setCreating] = useState(false);
  return (
    <div className={styles.page}>
      <PageHeader title={administrationMessages.agents} intro={administrationMessages.agentsIntro}>
        <Button variant="primary" icon="plus" isDisabled={!roles.data} onPress={() => setCreating(true)}>
          {texts.create}
        </Button>
      </PageHeader>
      {roles.error !== null && <LoadState query={roles}>{() => null}</LoadState>}
      <Filter filter={filter} />
      <LoadState query={query}>
        {(agents) => {
          const shown = filterAgents(agents, filter);
          return (
            <>
              <p role="status" className={own.count}>
                {texts.count(shown.length)}
              </p>
              {shown.length === 0 ? (
                <EmptyState icon="search" title={texts.noMatch}>
                  <Button onPress={() => filterStore.set(noFilter)}>{texts.showAll}</Button>
                </EmptyState>
              ) : (
                <AgentTable agents={shown} />
              )}
            </>
          );
        }}
      </LoadState>
      {isCreating && roles.data && <NewAgentDialog roles={roles.data} onClose={() => setCreating(false)} />}
    </div>
  );
};
