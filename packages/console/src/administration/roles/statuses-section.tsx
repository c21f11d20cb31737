import type { Agent, StatusSetting } from "@parley/contract";
import { useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { showToast } from "../../ui/toast-store.ts";
import type { AccountConfigurationState } from "../account-document.ts";
import administration from "../administration.module.css";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { useOpenedEntry } from "../use-opened-entry.ts";
import { roleMessages as texts } from "./messages.ts";
import { removeUnused } from "./removal.ts";
import { isLastAvailable } from "./role-values.ts";
import styles from "./roles.module.css";
import { StatusDialog } from "./status-dialog.tsx";

interface StatusesSectionProps extends Pick<AccountConfigurationState, "change" | "remove" | "reread"> {
  readonly statuses: readonly StatusSetting[];
  /** Undefined until they are read. */
  readonly agents: readonly Agent[] | undefined;
}

/** The statuses that agents can have, and their availability. */
export const StatusesSection = ({ statuses, agents, change, remove, reread }: StatusesSectionProps) => {
  const { opened, open, close } = useOpenedEntry(
    async () => (await reread()).statuses ?? [],
    ({ id }) => id,
  );
  const [removed, setRemoved] = useState<StatusSetting>();
  const columns: readonly Column<StatusSetting>[] = [
    { id: "name", label: texts.name, cell: ({ name }) => name },
    {
      id: "availability",
      label: texts.availability,
      cell: ({ availability_status: availability = "AVAILABLE" }) => (
        <Badge tone={availability === "AVAILABLE" ? "success" : "neutral"}>{texts[availability]}</Badge>
      ),
    },
    {
      id: "agents",
      label: texts.agents,
      cell: ({ id }) => agents && texts.agentCount(agents.filter(({ agent_status }) => agent_status?.id === id).length),
    },
    {
      id: "actions",
      label: texts.actions,
      isAction: true,
      cell: (status) => (
        <>
          <IconButton icon="edit" label={texts.change(status.name)} onPress={() => open(status)} />
          <IconButton icon="trash" label={texts.remove(status.name)} onPress={() => setRemoved(status)} />
        </>
      ),
    },
  ];
  const removeStatus = async (status: StatusSetting): Promise<void> => {
    if (isLastAvailable(status, statuses)) throw new Error(texts.lastAvailable);
    await removeUnused(() => remove("statuses", status.id ?? status.name), texts.statusInUse(status.name));
    showToast(texts.removed(status.name));
  };
  return (
    <section className={styles.section}>
      <div className={styles.sectionHeader}>
        <h2 className={administration.heading}>{texts.statuses}</h2>
        <Button icon="plus" onPress={() => open("new")}>
          {texts.newStatus}
        </Button>
      </div>
      <p className={administration.muted}>{texts.statusesText}</p>
      <RecordTable label={texts.statuses} columns={columns} records={statuses} idOf={({ id, name }) => id ?? name} />
      {opened !== undefined && (
        <StatusDialog
          status={opened === "new" ? undefined : opened}
          statuses={statuses}
          reread={reread}
          save={(status) => change({ statuses: [status] })}
          onClose={close}
        />
      )}
      {removed && (
        <ConfirmDialog
          title={texts.removeStatus(removed.name)}
          text={texts.removeStatusText}
          action={texts.remove(removed.name)}
          run={() => removeStatus(removed)}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </section>
  );
};
