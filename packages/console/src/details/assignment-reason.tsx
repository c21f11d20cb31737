import type { AutomaticAssignment, InboxItem } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { readConversation } from "../conversation/conversation-query.ts";
import { formatDateTime } from "../i18n/format.ts";
import { createNames, useWorkspace } from "../workspace/workspace.ts";
import { detailsMessages as texts } from "./messages.ts";
import { DetailsSection } from "./section.tsx";

/** -> why the conversation has its agent; undefined if the routing of its group did not assign it */
const useReason = (item: InboxItem): AutomaticAssignment | undefined => {
  const { conversation_id, assigned_agent_id: agent, automatic_assignment: known } = item;
  const [firstAgent] = useState(agent);
  // An event says that the agent has changed, and not why.
  const { data } = useQuery({
    queryKey: ["assignment-reason", conversation_id, agent],
    queryFn: async ({ signal }) => (await readConversation(conversation_id, signal)).automatic_assignment ?? null,
    enabled: known === undefined && agent !== undefined && agent !== firstAgent,
  });
  const reason = known ?? data ?? undefined;
  return reason?.agent_id === agent ? reason : undefined;
};

/** Why the routing of the group gave the conversation to its agent. Use a key per conversation. */
export const AssignmentReason = ({ item }: { readonly item: InboxItem }) => {
  const reason = useReason(item);
  const names = createNames(useWorkspace());
  if (!reason || item.assigned_group_id === undefined) return undefined;
  const values = {
    agent: names.agent(reason.agent_id),
    group: names.group(item.assigned_group_id),
    time: formatDateTime(reason.time),
  };
  return (
    <DetailsSection name="assignment" title={texts.assignment}>
      <p>
        {reason.logic === "LOAD"
          ? texts.assignedByLoad({ ...values, load: reason.load, capacity: reason.capacity })
          : texts.assignedInTurn(values)}
      </p>
    </DetailsSection>
  );
};
