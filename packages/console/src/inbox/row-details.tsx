import type { InboxItem, Presence } from "@parley/contract";
import { useSyncExternalStore } from "react";
import { presences } from "../live/presences.ts";
import { Icon } from "../ui/icon.tsx";
import { type Names, useWorkspace } from "../workspace/workspace.ts";
import styles from "./list-row.module.css";
import { inboxMessages as texts } from "./messages.ts";
import { WaitingTime } from "./row-times.tsx";

interface PresenceProps {
  readonly conversationId: string;
  readonly names: Names;
}

/** Colleagues who have the conversation open or are writing in it. */
const RowPresence = ({ conversationId, names }: PresenceProps) => {
  const { agent } = useWorkspace();
  const present = useSyncExternalStore<readonly Presence[] | undefined>(presences.subscribe, () =>
    presences.get().get(conversationId),
  );
  const others = (present ?? []).filter(({ agent_id }) => agent_id !== agent.agent_id);
  if (others.length === 0) return undefined;
  const typing = others.filter(({ state }) => state === "typing");
  const text =
    typing.length > 0
      ? texts.typing(typing.map(({ agent_id }) => names.agent(agent_id)).join(", "))
      : texts.viewing(others.map(({ agent_id }) => names.agent(agent_id)).join(", "));
  return (
    <span className={styles.presence} title={text}>
      <Icon name={typing.length > 0 ? "edit" : "eye"} label={text} />
    </span>
  );
};

/** Priorities that stand out, by their values. */
const PRIORITY_TONES: Readonly<Record<string, string>> = { High: "high", Urgent: "urgent" };

interface RowDetailsProps {
  readonly item: InboxItem;
  readonly names: Names;
}

/** The third line of a row: topic, priority and assignment of the conversation. */
export const RowDetails = ({ item, names }: RowDetailsProps) => {
  const { conversation_id, channel_id, assigned_agent_id, assigned_group_id, status, waiting_since } = item;
  const priority = item.properties["priority"];
  const assignee =
    assigned_agent_id === undefined
      ? assigned_group_id === undefined
        ? texts.unassignedShort
        : names.group(assigned_group_id)
      : names.agent(assigned_agent_id);
  return (
    <span className={styles.line}>
      <span className={styles.details}>
        {status === "resolved" && (
          <span className={styles.resolved}>
            <Icon name="check" />
            {texts.statusResolved}
          </span>
        )}
        {waiting_since !== undefined && <WaitingTime since={waiting_since} />}
        {typeof priority === "string" && (
          <span className={styles.priority} data-tone={PRIORITY_TONES[priority]}>
            <Icon name="flag" />
            <span className="visually-hidden">{texts.priority}: </span>
            {priority}
          </span>
        )}
        <span className={styles.topic}>{names.topic(channel_id)}</span>
      </span>
      <RowPresence conversationId={conversation_id} names={names} />
      <span className={styles.assignee} data-none={assigned_agent_id === undefined}>
        <span className="visually-hidden">{texts.assignee}: </span>
        {assignee}
      </span>
    </span>
  );
};
