import type { AccountDocument, GroupSetting, ListedAgent } from "@parley/contract";
import { useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Switch } from "../../ui/checkbox.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import field from "../../ui/field.module.css";
import { showError, showToast } from "../../ui/toast-store.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import { useAccountDocument, type AccountConfigurationState } from "../account-document.ts";
import styles from "../administration.module.css";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { LoadState } from "../load-state.tsx";
import { administrationMessages } from "../messages.ts";
import { PageHeader } from "../page-header.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { useOpenedEntry } from "../use-opened-entry.ts";
import { GroupDialog } from "./group-dialog.tsx";
import { isAutomatic, routingOf } from "./group-values.ts";
import own from "./groups.module.css";
import { groupMessages as texts } from "./messages.ts";

const Members = ({ id, agents }: { readonly id: string; readonly agents: readonly ListedAgent[] }) => {
  const members = agents.filter(({ groups, is_active }) => is_active && groups.includes(id));
  const available = members.filter(({ availability_status }) => availability_status === "AVAILABLE");
  return (
    <span className={own.members}>
      {texts.agentCount(members.length)}
      {members.length > 0 && <span className={styles.detail}>{texts.available(available.length)}</span>}
    </span>
  );
};

const Routing = ({ group, isOn }: { readonly group: GroupSetting; readonly isOn: boolean }) => {
  const routing = routingOf(group);
  const isActive = isAutomatic(routing);
  return (
    <>
      <Badge tone={isActive && isOn ? "success" : "neutral"}>{texts[routing]}</Badge>
      {isActive && group.signed_in_agents_only && <span className={styles.detail}>{texts.signedInOnly}</span>}
      {isActive && !isOn && <span className={styles.detail}>{texts.isOff}</span>}
    </>
  );
};

interface GroupsProps extends Pick<AccountConfigurationState, "change" | "remove" | "reread"> {
  readonly document: AccountDocument;
}

const Groups = ({ document, change, remove, reread }: GroupsProps) => {
  const { groups = [], automatic_assignment: isOn = false } = document;
  const { agents } = useWorkspace();
  const { opened, open, close } = useOpenedEntry(
    async () => (await reread()).groups ?? [],
    ({ id }) => id,
  );
  const [removed, setRemoved] = useState<GroupSetting>();
  const columns: readonly Column<GroupSetting>[] = [
    {
      id: "name",
      label: texts.name,
      cell: ({ name, description }) => (
        <>
          {name}
          {description !== undefined && <span className={styles.detail}>{description}</span>}
        </>
      ),
    },
    { id: "routing", label: texts.routing, cell: (group) => <Routing group={group} isOn={isOn} /> },
    { id: "agents", label: texts.agents, cell: ({ id = "" }) => <Members id={id} agents={agents} /> },
    {
      id: "actions",
      label: texts.actions,
      isAction: true,
      cell: (group) => (
        <>
          <IconButton icon="edit" label={texts.edit(group.name)} onPress={() => open(group)} />
          <IconButton icon="trash" label={texts.remove(group.name)} onPress={() => setRemoved(group)} />
        </>
      ),
    },
  ];
  return (
    <>
      <PageHeader title={administrationMessages.groups} intro={administrationMessages.groupsIntro}>
        <Button variant="primary" icon="plus" onPress={() => open("new")}>
          {texts.create}
        </Button>
      </PageHeader>
      <div className={own.switch}>
        <Switch
          isSelected={isOn}
          onChange={(automatic_assignment) => void change({ automatic_assignment }).catch(showError)}
        >
          {texts.automatic}
        </Switch>
        <p className={field.help}>{texts.automaticHelp}</p>
      </div>
      {groups.length === 0 ? (
        <EmptyState icon="people" title={texts.none}>
          <p>{texts.noneText}</p>
        </EmptyState>
      ) : (
        <RecordTable
          label={administrationMessages.groups}
          columns={columns}
          records={groups}
          idOf={({ id = "" }) => id}
        />
      )}
      {opened !== undefined && (
        <GroupDialog
          group={opened === "new" ? undefined : opened}
          groups={groups}
          change={change}
          reread={reread}
          onClose={close}
        />
      )}
      {removed && (
        <ConfirmDialog
          title={texts.removeTitle(removed.name)}
          text={texts.removeText}
          action={texts.remove(removed.name)}
          run={async () => {
            await remove("groups", removed.id ?? removed.name);
            showToast(texts.removed(removed.name));
          }}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </>
  );
};

/** Groups with their routing, and whether the account assigns conversations automatically. */
export const GroupsPage = () => {
  const { query, ...changes } = useAccountDocument();
  return (
    <div className={styles.page}>
      <LoadState query={query}>{(document) => <Groups document={document} {...changes} />}</LoadState>
    </div>
  );
};
