import { useQuery } from "@tanstack/react-query";
import { openTestCustomer } from "../test-customer/test-customer-state.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { useWorkspace } from "../workspace/workspace.ts";
import { inboxMessages as texts } from "./messages.ts";
import type { InboxAddress } from "./use-inbox-address.ts";
import { countsQuery } from "./views-query.ts";

/** Where the service describes its API and the address of the messenger. */
const API_PAGE = "/docs";

/** Shown in place of a list without conversations: the reason, and what to do. */
export const EmptyList = ({ address }: { readonly address: InboxAddress }) => {
  const { agent } = useWorkspace();
  const { data: counts } = useQuery(countsQuery);
  if (counts && counts.open + counts.resolved === 0) {
    if (agent.scope !== "Global")
      return (
        <EmptyState icon="inbox" title={texts.nothingAssigned}>
          <p>{agent.scope === "Me" ? texts.nothingAssignedMe : texts.nothingAssignedGroup}</p>
        </EmptyState>
      );
    return (
      <EmptyState icon="inbox" title={texts.noneYet}>
        <p>{texts.noneYetText}</p>
        <Button variant="primary" icon="play" onPress={openTestCustomer}>
          {texts.tryIt}
        </Button>
        <a href={API_PAGE} target="_blank" rel="noopener">
          {texts.aboutApi}
        </a>
      </EmptyState>
    );
  }
  const isFiltered = Object.keys(address.filter).length > 0;
  return (
    <EmptyState icon="check" title={texts.noneHere}>
      <p>{isFiltered ? texts.noneHereText : texts.allDone}</p>
      {isFiltered && <Button onPress={() => address.show({})}>{texts.showAllOpen}</Button>}
    </EmptyState>
  );
};
