import type { Agent, Role } from "@parley/contract";
import { useState } from "react";
import { Button, IconButton } from "../../ui/button.tsx";
import { showToast } from "../../ui/toast-store.ts";
import type { AccountConfigurationState } from "../account-document.ts";
import administration from "../administration.module.css";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { useOpenedEntry } from "../use-opened-entry.ts";
import { roleMessages as texts } from "./messages.ts";
import { removeUnused } from "./removal.ts";
import { RoleDialog } from "./role-dialog.tsx";
import { builtInRoles, capabilityTexts } from "./role-values.ts";
import styles from "./roles.module.css";

/** The abilities of a role: a list for each built-in role, which begins with a reference to the role before it. */
const May = ({ role, roles }: { readonly role: Role; readonly roles: readonly Role[] }) => {
  const ranked = builtInRoles(roles);
  const rank = ranked.findIndex(({ id }) => id === role.id);
  const [least] = ranked;
  if (rank < 0) return least ? texts.same(least.name) : null;
  const before = ranked[rank - 1];
  const found = ranked[rank];
  return (
    <>
      {before && texts.also(before.name)}
      <ul className={styles.capabilities}>
        {found && capabilityTexts(found.id).map((text) => <li key={text}>{text}</li>)}
      </ul>
    </>
  );
};

interface RolesSectionProps extends Pick<AccountConfigurationState, "change" | "remove"> {
  readonly roles: readonly Role[];
  /** Reads the roles again. */
  readonly reread: () => Promise<readonly Role[]>;
  /** Undefined until they are read. */
  readonly agents: readonly Agent[] | undefined;
}

/** The built-in roles with what they may do, and the account's own. */
export const RolesSection = ({ roles, reread, agents, change, remove }: RolesSectionProps) => {
  const { opened, open, close } = useOpenedEntry(reread, ({ id }) => id);
  const [removed, setRemoved] = useState<Role>();
  const custom = roles.filter(({ is_custom_role }) => is_custom_role);
  const builtIn = builtInRoles(roles).flatMap(({ id }) => roles.filter((role) => role.id === id));

  const columns: readonly Column<Role>[] = [
    {
      id: "name",
      label: texts.name,
      cell: ({ name, is_custom_role, description }) => (
        <>
          {name}
          <span className={administration.detail}>{is_custom_role ? texts.custom : texts.builtIn}</span>
          {is_custom_role && description !== "" && <span className={administration.detail}>{description}</span>}
        </>
      ),
    },
    { id: "may", label: texts.may, cell: (role) => <May role={role} roles={roles} /> },
    {
      id: "agents",
      label: texts.agents,
      cell: ({ id }) =>
        agents && (
          <span className={styles.count}>
            {texts.agentCount(agents.filter(({ role_id }) => role_id === id).length)}
          </span>
        ),
    },
    {
      id: "actions",
      label: texts.actions,
      isAction: true,
      cell: (role) =>
        role.is_custom_role && (
          <>
            <IconButton icon="edit" label={texts.change(role.name)} onPress={() => open(role)} />
            <IconButton icon="trash" label={texts.remove(role.name)} onPress={() => setRemoved(role)} />
          </>
        ),
    },
  ];
  return (
    <section className={styles.section}>
      <div className={styles.sectionHeader}>
        <h2 className={administration.heading}>{texts.roles}</h2>
        <Button icon="plus" onPress={() => open("new")}>
          {texts.newRole}
        </Button>
      </div>
      <p className={administration.muted}>{texts.rolesText}</p>
      <RecordTable label={texts.roles} columns={columns} records={[...builtIn, ...custom]} idOf={({ id }) => id} />
      {opened !== undefined && (
        <RoleDialog
          role={opened === "new" ? undefined : opened}
          roles={roles}
          reread={reread}
          save={async (role) => {
            await change({ roles: [role] });
            await reread();
          }}
          onClose={close}
        />
      )}
      {removed && (
        <ConfirmDialog
          title={texts.removeRole(removed.name)}
          text={texts.removeRoleText}
          action={texts.remove(removed.name)}
          run={async () => {
            await removeUnused(() => remove("roles", removed.id), texts.roleInUse(removed.name));
            await reread();
            showToast(texts.removed(removed.name));
          }}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </section>
  );
};
