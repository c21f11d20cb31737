import type { InboxItem, ListedAgent } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { ChoicePopover } from "../ui/choice-popover.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import type { ListedChoice } from "../ui/choice-list.tsx";
import { agentName, createNames, useWorkspace } from "../workspace/workspace.ts";
import { assignToAgent, assignToGroup, changePriority } from "./actions.ts";
import { conversationMessages as texts } from "./messages.ts";

interface PickerProps {
  readonly item: InboxItem;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  readonly isDisabled?: boolean;
}

/** Stands for no agent and no group. */
const NONE = "none";

const trigger = (icon: IconName, label: string, text: string, isDisabled: boolean | undefined): ReactElement => (
  <Button variant="quiet" isSmall icon={icon} aria-label={label} isDisabled={isDisabled === true}>
    {text}
    <Icon name="down" />
  </Button>
);

const agentChoices = (agents: readonly ListedAgent[], ownId: string): readonly ListedChoice[] => {
  const active = agents.filter(({ is_active }) => is_active);
  const ownFirst = [...active.filter(({ id }) => id === ownId), ...active.filter(({ id }) => id !== ownId)];
  return ownFirst.map((agent) => ({
    id: agent.id,
    label: agentName(agent),
    isPerson: true,
    avatarUrl: agent.avatar_url,
    ...(agent.id === ownId && { detail: texts.you }),
  }));
};

export const AgentPicker = ({ item, isOpen, onOpenChange, isDisabled }: PickerProps) => {
  const queries = useQueryClient();
  const workspace = useWorkspace();
  const { assigned_agent_id: assigned } = item;
  const name = assigned === undefined ? texts.nobody : createNames(workspace).agent(assigned);
  return (
    <ChoicePopover
      label={texts.agent}
      choices={[{ id: NONE, label: texts.nobody }, ...agentChoices(workspace.agents, workspace.agent.agent_id)]}
      chosen={assigned ?? NONE}
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      onChoose={(id) => void assignToAgent(queries, item, id === NONE ? undefined : id, workspace)}
    >
      {trigger("person", texts.assignee(name), name, isDisabled)}
    </ChoicePopover>
  );
};

export const GroupPicker = ({ item, isOpen, onOpenChange, isDisabled }: PickerProps) => {
  const queries = useQueryClient();
  const workspace = useWorkspace();
  const { assigned_group_id: assigned } = item;
  const name = assigned === undefined ? texts.noGroup : createNames(workspace).group(assigned);
  return (
    <ChoicePopover
      label={texts.group}
      choices={[
        { id: NONE, label: texts.noGroup },
        ...workspace.groups.map((group) => ({ id: group.id, label: group.name })),
      ]}
      chosen={assigned ?? NONE}
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      onChoose={(id) => void assignToGroup(queries, item, id === NONE ? undefined : id, workspace)}
    >
      {trigger("people", texts.groupOf(name), name, isDisabled)}
    </ChoicePopover>
  );
};

/** Only for accounts whose conversations have properties. */
export const PriorityPicker = ({ item, isOpen, onOpenChange }: PickerProps) => {
  const queries = useQueryClient();
  const { account, fields } = useWorkspace();
  const field = fields.find(({ name }) => name === "priority");
  if (!account.has_properties || !field) return undefined;
  const value = item.properties["priority"];
  const chosen = typeof value === "string" ? value : undefined;
  const name = chosen ?? texts.noPriority;
  return (
    <ChoicePopover
      label={texts.priority}
      choices={field.choices.map((choice) => ({ id: choice.value, label: choice.value }))}
      chosen={chosen}
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      onChoose={(priority) => void changePriority(queries, item, priority)}
    >
      {trigger("flag", texts.priorityOf(name), name, !field.editable)}
    </ChoicePopover>
  );
};
