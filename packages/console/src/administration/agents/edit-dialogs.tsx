import type { Agent, Role } from "@parley/contract";
import { useState } from "react";
import { client } from "../../session/session.ts";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { agentName, useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import { FormDialog } from "../../forms/form-dialog.tsx";
import { useForm } from "../../forms/use-form.ts";
import { AgentFields } from "./agent-fields.tsx";
import { changeOf, isOwn as isOwnAgent, agentSettingsOf, workProblemsOf, workValuesOf } from "./agent-values.ts";
import { useRereadAgents } from "./agents-query.ts";
import { AGENT_VALUES } from "./contract-values.ts";
import { agentMessages as texts } from "./messages.ts";
import { useAgentForm } from "./use-agent-form.ts";

interface EditDialogProps {
  readonly agent: Agent;
  readonly onClose: () => void;
}

/** Changes names, addresses, role and groups of an agent. */
export const ProfileDialog = ({ agent, roles, onClose }: EditDialogProps & { readonly roles: readonly Role[] }) => {
  const { agent: session } = useWorkspace();
  const reread = useRereadAgents();
  const form = useAgentForm(agent, async (values, initial) => {
    const changed = await client.agents.updateAgent({
      params: { agent_id: agent.id },
      body: changeOf(initial, values),
    });
    await reread();
    showToast(texts.saved(agentName(changed)));
    onClose();
  });
  return (
    <FormDialog title={texts.editTitle(agentName(agent))} form={form} onClose={onClose}>
      <AgentFields form={form} roles={roles} isOwn={isOwnAgent(session, agent)} />
    </FormDialog>
  );
};

/** Changes which conversations an agent sees, and how many it gets. */
export const WorkDialog = ({ agent, onClose }: EditDialogProps) => {
  const { account, agent: session } = useWorkspace();
  const reread = useRereadAgents();
  const [initial] = useState(() => workValuesOf(agent));
  const form = useForm({
    keptAt: `agent work ${agent.id}`,
    initial,
    check: workProblemsOf,
    async save(values) {
      await adminCalls.changeAgentSettings({
        params: { account: account.name, agent_id: agent.id },
        body: agentSettingsOf(initial, values),
      });
      await reread();
      showToast(texts.saved(agentName(agent)));
      onClose();
    },
  });
  const { values, problems } = form;
  const isOwn = isOwnAgent(session, agent);
  return (
    <FormDialog title={texts.workTitle(agentName(agent))} form={form} onClose={onClose}>
      <Select
        label={texts.scope}
        help={isOwn ? texts.ownScope : texts.scopeHelp}
        choices={AGENT_VALUES.scopes.toReversed().map((id) => ({ id, label: texts[id] }))}
        value={values.scope}
        onChange={(scope) => form.change({ scope })}
        isDisabled={isOwn}
      />
      <TextField
        label={texts.capacity}
        help={texts.capacityHelp}
        inputMode="numeric"
        autoComplete="off"
        value={values.capacity}
        onChange={(capacity) => form.change({ capacity })}
        error={problems.capacity}
      />
    </FormDialog>
  );
};
