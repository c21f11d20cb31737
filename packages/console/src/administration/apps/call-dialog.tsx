import type { InvocationDetails } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { uiMessages } from "../../ui/messages.ts";
import administration from "../administration.module.css";
import { LoadState } from "../load-state.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { activityMessages as texts } from "./activity-messages.ts";
import { callQuery, type AppOfAccount } from "./activity-query.ts";
import { jsonText } from "./activity-values.ts";
import styles from "./apps.module.css";
import { formatExactTime } from "./exact-time.tsx";

type CallRequest = InvocationDetails["requests"][number];

const REQUEST_COLUMNS: readonly Column<readonly [CallRequest, number]>[] = [
  {
    id: "address",
    label: texts.address,
    cell: ([{ method, url }]) => <span className={styles.address}>{`${method} ${url}`}</span>,
  },
  {
    id: "answer",
    label: texts.answer,
    cell: ([{ status, failure }]) => (
      <>
        {status === 0 ? texts.notSent : status}
        {failure !== undefined && <span className={administration.detail}>{failure}</span>}
      </>
    ),
  },
  { id: "duration", label: texts.duration, cell: ([{ ms }]) => texts.ms(ms) },
];

const Code = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <section>
    <h3 className={styles.partTitle}>{label}</h3>
    {/* Scrolls, so that keys must reach it. */}
    <pre className={styles.code} tabIndex={0} aria-label={label}>
      {text}
    </pre>
  </section>
);

const CallDetails = ({ call }: { readonly call: InvocationDetails }) => (
  <div className={administration.form}>
    <p>
      <Badge tone={call.ok ? "success" : "danger"}>{call.ok ? texts.succeeded : texts.failed}</Badge>{" "}
      {formatExactTime(call.begun)}, {texts.ms(call.ms)}
      <span className={administration.detail}>
        {texts.handler}: {call.handler}
      </span>
    </p>
    {call.error !== undefined && <Code label={texts.error} text={call.error} />}
    {call.stack !== undefined && <Code label={texts.stack} text={call.stack} />}
    {call.output !== undefined && <Code label={texts.output} text={jsonText(call.output)} />}
    {call.lines.length === 0 ? (
      <p className={administration.muted}>{texts.noLog}</p>
    ) : (
      <Code label={texts.log} text={call.lines.map(({ level, text }) => `${level}: ${text}`).join("\n")} />
    )}
    {call.requests.length === 0 ? (
      <p className={administration.muted}>{texts.noRequests}</p>
    ) : (
      <section>
        <h3 className={styles.partTitle}>{texts.requests}</h3>
        <RecordTable
          label={texts.requests}
          columns={REQUEST_COLUMNS}
          records={call.requests.map((request, index) => [request, index] as const)}
          idOf={([, index]) => String(index)}
        />
      </section>
    )}
    <Code label={texts.payload} text={jsonText(call.payload)} />
  </div>
);

interface CallDialogProps {
  readonly app: AppOfAccount;
  readonly call: { readonly id: string; readonly event: string };
  /** Absent for a call that can't be raised again. */
  readonly onRaiseAgain?: ((call: InvocationDetails) => void) | undefined;
  readonly onClose: () => void;
}

/** A call with its payload, its log lines and its requests. */
export const CallDialog = ({ app, call: { id, event }, onRaiseAgain, onClose }: CallDialogProps) => {
  const query = useQuery(callQuery(app, id));
  const { data } = query;
  return (
    <Dialog
      title={texts.callTitle(event)}
      isOpen
      isWide
      onClose={onClose}
      actions={
        <>
          {onRaiseAgain && data && <Button onPress={() => onRaiseAgain(data)}>{texts.raiseAgain}</Button>}
          <Button onPress={onClose}>{uiMessages.close}</Button>
        </>
      }
    >
      <LoadState query={query}>{(call) => <CallDetails call={call} />}</LoadState>
    </Dialog>
  );
};
