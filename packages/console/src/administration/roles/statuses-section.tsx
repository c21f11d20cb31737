import type { Agent, StatusSetting } from "@parley/contract";
import { Badge } from "../../ui/badge.tsx";
import type { AccountConfigurationState } from "../account-document.ts";
import { DocumentPage } from "../document-page.tsx";
import { roleMessages as texts } from "./messages.ts";
import { removeUnused } from "./removal.ts";
import { isLastAvailable, statusForm } from "./role-form.ts";

const PAGE_TEXTS = {
  create: texts.newStatus,
  none: "",
  noneText: "",
  editTitle: texts.changeStatus,
  removeTitle: texts.removeStatus,
  removeText: texts.removeStatusText,
};

interface StatusesSectionProps {
  readonly account: AccountConfigurationState;
  /** Undefined until they are read. */
  readonly agents: readonly Agent[] | undefined;
}

/** The statuses that agents can have, and their availability. */
export const StatusesSection = ({ account, agents }: StatusesSectionProps) => {
  const statuses = account.query.data?.statuses ?? [];
  const remove: AccountConfigurationState["remove"] = async (section, entry) => {
    const status = statuses.find(({ id, name }) => entry === (id ?? name));
    if (isLastAvailable(status?.id, statuses)) throw new Error(texts.lastAvailable);
    await removeUnused(() => account.remove(section, entry), texts.statusInUse(status?.name ?? entry));
  };
  return (
    <DocumentPage
      isSection
      section="statuses"
      account={{ ...account, remove }}
      title={texts.statuses}
      intro={texts.statusesText}
      icon="flag"
      texts={PAGE_TEXTS}
      idOf={({ id, name }) => id ?? name}
      nameOf={({ name }) => name}
      keyOf={({ name }) => name}
      removalOf={({ id, name }) => id ?? name}
      columns={[
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
          cell: ({ id }: StatusSetting) =>
            agents && texts.agentCount(agents.filter(({ agent_status }) => agent_status?.id === id).length),
        },
      ]}
      keptAt="status"
      needed={["id", "name"]}
      form={(status, document) => statusForm(status, document.statuses ?? [])}
    />
  );
};
