import type { Agent, Role } from "@parley/contract";
import type { AccountConfigurationState } from "../account-document.ts";
import administration from "../administration.module.css";
import { EntryDialog } from "../entry-dialog.tsx";
import { entryMessages } from "../entry-messages.ts";
import type { LoadQuery } from "../load-state.tsx";
import { RecordPage } from "../record-page.tsx";
import { roleMessages as texts } from "./messages.ts";
import { removeUnused } from "./removal.ts";
import { builtInRoles, capabilityTexts, roleForm } from "./role-form.ts";
import styles from "./roles.module.css";

const PAGE_TEXTS = {
  create: texts.newRole,
  none: "",
  noneText: "",
  removeTitle: texts.removeRole,
  removeText: texts.removeRoleText,
};
const idOf = ({ id = "" }: { readonly id?: string }): string => id;
const isCustom = ({ is_custom_role }: Role): boolean => is_custom_role;

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
  readonly query: LoadQuery<readonly Role[]>;
  /** Reads the roles again. */
  readonly reread: () => Promise<readonly Role[]>;
  /** Undefined until they are read. */
  readonly agents: readonly Agent[] | undefined;
}

/** The built-in roles with what they may do, and the account's own. */
export const RolesSection = ({ query, reread, agents, change, remove }: RolesSectionProps) => (
  <RecordPage<readonly Role[], Role>
    isSection
    title={texts.roles}
    intro={texts.rolesText}
    icon="flag"
    texts={PAGE_TEXTS}
    query={query}
    recordsOf={(roles) => [
      ...builtInRoles(roles).flatMap(({ id }) => roles.filter((role) => role.id === id)),
      ...roles.filter(isCustom),
    ]}
    reread={reread}
    idOf={idOf}
    nameOf={({ name }) => name}
    mayEdit={isCustom}
    mayRemove={isCustom}
    columns={[
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
      { id: "may", label: texts.may, cell: (role) => <May role={role} roles={query.data ?? []} /> },
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
    ]}
    remove={async ({ id, name }) => {
      await removeUnused(() => remove("roles", id), texts.roleInUse(name));
      await reread();
    }}
    dialog={(role, roles, onClose) => (
      <EntryDialog
        title={role ? texts.changeRole : texts.newRole}
        form={roleForm(role, roles)}
        keptAt={`role ${role?.id ?? "new"}`}
        entry={role}
        entries={roles}
        reread={reread}
        idOf={idOf}
        keyOf={({ name }) => name}
        needed={["id", "name"]}
        save={async (setting) => {
          await change({ roles: [setting] });
          await reread();
        }}
        savedText={({ name }) => entryMessages.saved(name)}
        onClose={onClose}
      />
    )}
  />
);
