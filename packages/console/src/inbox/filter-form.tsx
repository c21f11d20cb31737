import type { InboxFilter, Workspace } from "@parley/contract";
import { useMemo } from "react";
import { Dialog, Heading, Popover } from "react-aria-components";
import { VALUES } from "../contract-values.ts";
import { Button } from "../ui/button.tsx";
import { Switch } from "../ui/checkbox.tsx";
import { uiMessages } from "../ui/messages.ts";
import popup from "../ui/popup.module.css";
import { Select, type Choice } from "../ui/select.tsx";
import { agentName, useWorkspace } from "../workspace/workspace.ts";
import styles from "./filter-form.module.css";
import { priorityText, STATUS_TEXTS } from "./filter-texts.ts";
import { searchOf } from "./inbox-view.ts";
import { inboxMessages as texts } from "./messages.ts";
import { PropertyFilter } from "./property-filter.tsx";
import type { InboxAddress } from "./use-inbox-address.ts";

const ANY = "any";
const anyChoice: Choice = { id: ANY, label: texts.any };

const statusChoices: readonly Choice[] = VALUES.inboxStatuses.map((id) => ({ id, label: STATUS_TEXTS[id] }));

const choicesOf = ({ agent, agents, groups, channels, fields }: Workspace) => ({
  agent: [
    anyChoice,
    { id: "me", label: texts.me },
    ...(agent.scope === "Me" ? [] : [{ id: "none", label: texts.nobody }]),
    ...agents
      .filter(({ id, is_active }) => is_active && id !== agent.agent_id)
      .map((each) => ({ id: each.id, label: agentName(each) })),
  ],
  group: [
    anyChoice,
    { id: "mine", label: texts.myGroups },
    { id: "none", label: texts.noGroup },
    ...groups.map(({ id, name }) => ({ id, label: name })),
  ],
  channel: [anyChoice, ...channels.map(({ id, name }) => ({ id, label: name }))],
  priority: [
    anyChoice,
    ...(fields.find(({ name }) => name === "priority")?.choices ?? []).map(({ value }) => ({
      id: value,
      label: value,
    })),
    { id: "none", label: priorityText("none") },
  ],
});

/** Filters of a list. Each choice takes effect at once. */
const FilterForm = ({ address }: { readonly address: InboxAddress }) => {
  const workspace = useWorkspace();
  const { filter, order, search } = address;
  const choices = useMemo(() => choicesOf(workspace), [workspace]);
  const set = (member: keyof InboxFilter, value: string | boolean | undefined): void => {
    const { [member]: _former, ...rest } = filter;
    address.show(searchOf(value === undefined ? rest : { ...rest, [member]: value }, order, search.view));
  };
  const choose = (member: "agent" | "group" | "channel" | "priority", label: string) => (
    <Select
      label={label}
      choices={choices[member]}
      value={filter[member] ?? ANY}
      onChange={(id) => set(member, id === ANY ? undefined : id)}
    />
  );
  return (
    <Popover className={popup.popover ?? ""} placement="bottom end" offset={4}>
      <Dialog className={styles.form ?? ""}>
        {({ close }) => (
          <>
            <Heading slot="title" level={2} className={styles.title ?? ""}>
              {texts.filter}
            </Heading>
            <Select
              label={texts.status}
              choices={statusChoices}
              value={filter.status ?? "open"}
              onChange={(id) => set("status", id === "open" ? undefined : id)}
            />
            {choose("agent", texts.agent)}
            {choose("group", texts.group)}
            {choose("channel", texts.topic)}
            {workspace.account.has_properties && (
              <>
                {choose("priority", texts.priority)}
                <PropertyFilter property={filter.property} onChange={(value) => set("property", value)} />
              </>
            )}
            <Switch
              isSelected={filter.unread === true}
              onChange={(isSelected) => set("unread", isSelected ? true : undefined)}
            >
              {texts.unreadOnly}
            </Switch>
            <div className={styles.actions}>
              <Button isSmall variant="quiet" onPress={() => address.show(searchOf({}, order))}>
                {texts.clearFilters}
              </Button>
              <Button isSmall variant="primary" onPress={close}>
                {uiMessages.close}
              </Button>
            </div>
          </>
        )}
      </Dialog>
    </Popover>
  );
};
export default FilterForm;
