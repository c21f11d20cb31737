import type { AccountDocument, GroupSetting, ListedAgent } from "@parley/contract";
import { Label, Radio, RadioGroup } from "react-aria-components";
import { Badge } from "../../ui/badge.tsx";
import { Switch } from "../../ui/checkbox.tsx";
import field from "../../ui/field.module.css";
import { showError } from "../../ui/toast-store.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import { useAccountDocument, type AccountConfigurationState } from "../account-document.ts";
import styles from "../administration.module.css";
import { DocumentPage } from "../document-page.tsx";
import { administrationMessages } from "../messages.ts";
import type { FieldProps } from "../../forms/schema-fields.tsx";
import { groupForm, isAutomatic, ROUTING_NAMES, routingOf, type GroupValues, type Routing } from "./group-form.ts";
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

const GroupRouting = ({ group, isOn }: { readonly group: GroupSetting; readonly isOn: boolean }) => {
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

const AutomaticAssignment = ({
  document,
  change,
}: Pick<AccountConfigurationState, "change"> & { readonly document: AccountDocument }) => (
  <div className={own.switch}>
    <Switch
      isSelected={document.automatic_assignment ?? false}
      onChange={(automatic_assignment) => void change({ automatic_assignment }).catch(showError)}
    >
      {texts.automatic}
    </Switch>
    <p className={field.help}>{texts.automaticHelp}</p>
  </div>
);

const HELP: Readonly<Record<Routing, string>> = {
  load: texts.loadHelp,
  turn: texts.turnHelp,
  off: texts.offHelp,
  external: texts.externalHelp,
};

const RoutingField = ({ value, onChange }: FieldProps<GroupValues, Routing>) => (
  <RadioGroup
    className={own.routing ?? ""}
    value={value}
    onChange={(id) => ROUTING_NAMES.filter((each) => each === id).forEach(onChange)}
  >
    <Label className={field.label ?? ""}>{texts.routing}</Label>
    {ROUTING_NAMES.map((routing) => (
      <Radio key={routing} value={routing} className={own.choice ?? ""}>
        <span className={own.dot} />
        <span>
          {texts[routing]}
          <span className={field.help}>{HELP[routing]}</span>
        </span>
      </Radio>
    ))}
  </RadioGroup>
);

/** Groups with their routing, and whether the account assigns conversations automatically. */
export const GroupsPage = () => {
  const account = useAccountDocument();
  const { agents } = useWorkspace();
  const isOn = account.query.data?.automatic_assignment ?? false;
  return (
    <DocumentPage
      section="groups"
      account={account}
      title={administrationMessages.groups}
      intro={administrationMessages.groupsIntro}
      icon="people"
      texts={texts}
      idOf={({ id = "" }) => id}
      nameOf={({ name }) => name}
      keyOf={({ name }) => name}
      removalOf={({ id, name }) => id ?? name}
      columns={[
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
        { id: "routing", label: texts.routing, cell: (group) => <GroupRouting group={group} isOn={isOn} /> },
        { id: "agents", label: texts.agents, cell: ({ id = "" }) => <Members id={id} agents={agents} /> },
      ]}
      above={(document) => <AutomaticAssignment document={document} change={account.change} />}
      keptAt="group"
      needed={["id", "name"]}
      form={groupForm}
      widgets={() => ({ routing: RoutingField })}
    />
  );
};
