import type { MessageTemplate } from "@parley/contract";
import type { Db, Pool } from "@parley/database";
import type { BackgroundJobs, JobTasks } from "../../base/jobs/jobs.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { countTry, moveMessage, nameMessage, readSendable, type SendableRow } from "./statuses.sql.ts";
import {
  type OutboundProvider,
  type ProviderMessage,
  type ProviderResult,
  isWithinRetryTime,
  retryDelayMs,
} from "./provider.ts";
import type { RenderedTemplate } from "./rendering.ts";
import type { OutboundFailure, StatusReport } from "./outbound-message.ts";

/**
 * Payload of the send task. `tries`: number of previous attempts, so that a repeated execution does not start a second
 * series of attempts.
 */
export interface SendWork {
  readonly message_id: string;
  readonly tries: number;
}

interface ReportWork {
  readonly message_id: string;
  readonly report: StatusReport;
}

type PostponedResult = Extract<ProviderResult, { kind: "again" | "later" }>;

export const SEND_TASK = "outbound_send";
const REPORT = "outbound_report";

interface DeliveryDeps {
  readonly pool: Pool;
  readonly provider: OutboundProvider;
  readonly jobs: Pick<BackgroundJobs, "schedule" | "wake">;
  readonly ports: Ports;
  /** Notifies the event dispatcher of a commit. */
  readonly wake: () => void;
}

const RECIPIENT_DELETED: OutboundFailure = {
  code: "RECIPIENT_DELETED",
  reason: "The recipient was deleted before the message was sent.",
};

/**
 * Pause after which the message of a closed account is considered again, until its retry time is over.
 * @units milliseconds
 */
const CLOSED_ACCOUNT_PAUSE_MS = 60 * 60_000;
const ACCOUNT_IS_CLOSED: PostponedResult = {
  kind: "later",
  afterMs: CLOSED_ACCOUNT_PAUSE_MS,
  failure: { code: "ACCOUNT_CLOSED", reason: "The account was closed before the message was sent." },
};

const messageOf = (row: SendableRow, recipient: string): ProviderMessage => ({
  message_id: row.id,
  request_id: row.request_id,
  provider: row.provider,
  from: { phone_number: row.sender },
  to: { phone_number: recipient },
  data: { message_template: JSON.parse(row.template) as MessageTemplate },
  rendered: JSON.parse(row.rendered) as RenderedTemplate,
});

/** Sends messages to the provider and applies its reports. Both happen at least once and are idempotent. */
export const createOutboundDelivery = ({ pool, provider, jobs, ports: { now, newId }, wake }: DeliveryDeps) => {
  const move = (db: Db, id: string, report: StatusReport) =>
    moveMessage(db, id, report, { now: now(), eventId: newId() });

  const taken = async (tx: Db, id: string, sending: Extract<ProviderResult, { kind: "taken" }>): Promise<void> => {
    await nameMessage(tx, id, sending.provider_message_id);
    await move(tx, id, { status: "Sent" });
    for (const { report, afterMs } of sending.reports) {
      const due = new Date(now().getTime() + afterMs);
      await jobs.schedule(tx, { task: REPORT, payload: { message_id: id, report } satisfies ReportWork, due });
    }
  };

  /** -> the number of attempts including this attempt; undefined if another execution has counted it */
  const count = async (
    tx: Db,
    { id, tries }: SendableRow,
    kind: PostponedResult["kind"],
  ): Promise<number | undefined> => {
    if (kind === "later") return tries;
    return (await countTry(tx, id, tries)) ? tries + 1 : undefined;
  };

  const postpone = async (tx: Db, row: SendableRow, { kind, failure, afterMs }: PostponedResult): Promise<void> => {
    const pause = kind === "later" ? afterMs : retryDelayMs(row.tries + 1, afterMs);
    const due = pause === undefined ? undefined : new Date(now().getTime() + pause);
    if (!due || !isWithinRetryTime(row.created_time, due))
      return void (await move(tx, row.id, { status: "Failed", failure }));
    const tries = await count(tx, row, kind);
    if (tries === undefined) return;
    await jobs.schedule(tx, { task: SEND_TASK, payload: { message_id: row.id, tries } satisfies SendWork, due });
  };

  const send = async (work: SendWork, signal: AbortSignal): Promise<void> => {
    const row = await readSendable(pool, work.message_id);
    if (!row || row.status !== "Accepted" || row.tries !== work.tries) return;
    const resultFor = async (): Promise<ProviderResult> => {
      if (row.is_account_closed) return ACCOUNT_IS_CLOSED;
      if (row.recipient === null) return { kind: "refused", failure: RECIPIENT_DELETED };
      return provider.send(messageOf(row, row.recipient), signal);
    };
    const sending = await resultFor();
    await pool.transaction(async (tx) => {
      if (sending.kind === "taken") await taken(tx, row.id, sending);
      else if (sending.kind === "refused") await move(tx, row.id, { status: "Failed", failure: sending.failure });
      else await postpone(tx, row, sending);
    });
    jobs.wake();
    wake();
  };

  const report = async (id: string, statusReport: StatusReport): Promise<boolean> => {
    const moved = await move(pool, id, statusReport);
    if (moved) wake();
    return moved;
  };

  const tasks: JobTasks = {
    [SEND_TASK]: (payload, { signal }) => send(payload as SendWork, signal),
    [REPORT]: async (payload) => {
      const { message_id, report: statusReport } = payload as ReportWork;
      await report(message_id, statusReport);
    },
  };
  return { tasks, report };
};
export type OutboundDelivery = ReturnType<typeof createOutboundDelivery>;
