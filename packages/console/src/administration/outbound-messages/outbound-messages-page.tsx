import type { OutboundMessage } from "@parley/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { formatDateTime } from "../../i18n/format.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useWorkspace } from "../../workspace/workspace.ts";
import shared from "../administration.module.css";
import { LoadState, MoreButton } from "../load-state.tsx";
import { administrationMessages } from "../messages.ts";
import { PageHeader } from "../page-header.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { outboundMessagesQuery } from "./message-pages.ts";
import { outboundMessageMessages as texts } from "./messages.ts";

const TONES = { Accepted: "neutral", Sent: "accent", Delivered: "success", Failed: "danger" } as const;

const COLUMNS: readonly Column<OutboundMessage>[] = [
  {
    id: "recipient",
    label: texts.recipient,
    cell: ({ to, from }) => (
      <>
        {to[0]?.phone_number || texts.deleted}
        <span className={shared.detail}>{texts.sender(from.phone_number)}</span>
      </>
    ),
  },
  {
    id: "template",
    label: texts.template,
    cell: ({ data: { message_template: template } }) => (
      <>
        {template.template_name} ({template.language.code})<span className={shared.detail}>{template.namespace}</span>
      </>
    ),
  },
  { id: "status", label: texts.status, cell: ({ status }) => <Badge tone={TONES[status]}>{texts[status]}</Badge> },
  {
    id: "reason",
    label: texts.reason,
    cell: ({ failure_reason, failure_code }) => (
      <>
        {failure_reason ?? (failure_code === undefined && "–")}
        {failure_code !== undefined && <span className={shared.detail}>{failure_code}</span>}
      </>
    ),
  },
  { id: "time", label: texts.time, cell: ({ created_on }) => formatDateTime(new Date(created_on).toISOString()) },
];

const OutboundMessages = () => {
  const query = useInfiniteQuery(outboundMessagesQuery);
  const { hasNextPage, isFetching, refetch } = query;
  return (
    <LoadState query={query}>
      {({ pages }) => {
        const messages = pages.flatMap(({ outbound_messages }) => outbound_messages);
        if (messages.length === 0)
          return (
            <EmptyState icon="send" title={texts.none} text={texts.noneText}>
              <Button onPress={() => void refetch()}>{texts.reread}</Button>
            </EmptyState>
          );
        return (
          <>
            <div className={shared.tools}>
              <Button isSmall isDisabled={isFetching} onPress={() => void refetch()}>
                {texts.reread}
              </Button>
            </div>
            <RecordTable
              label={administrationMessages.outboundMessages}
              columns={COLUMNS}
              records={messages}
              idOf={({ message_id }) => message_id}
            />
            <MoreButton query={query} label={texts.more} />
            {!hasNextPage && <p className={`${shared.more} ${shared.muted}`}>{texts.shown}</p>}
          </>
        );
      }}
    </LoadState>
  );
};

/** Messages that were sent with templates, with what became of them. The API lists them for agents who may see all customers. */
export const OutboundMessagesPage = () => {
  const { agent } = useWorkspace();
  return (
    <div className={shared.page}>
      <PageHeader
        title={administrationMessages.outboundMessages}
        intro={administrationMessages.outboundMessagesIntro}
      />
      <p className={shared.notice}>{texts.provider}</p>
      {agent.scope === "Global" ? (
        <OutboundMessages />
      ) : (
        <EmptyState icon="eye" title={texts.onlyGlobal} text={texts.onlyGlobalText} />
      )}
    </div>
  );
};
