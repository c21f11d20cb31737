import type { MessageTemplate } from "@parley/contract";
import type { Db, Pool } from "@parley/database";
import type { Jobs, Tasks } from "../jobs/jobs.ts";
import type { Ports } from "../ports.ts";
import { countTry, moveMessage, nameMessage, readMessage, type SendableRow } from "./db/statuses.ts";
import type { Provider, ProviderMessage, Sending } from "./provider.ts";
import type { Rendered } from "./rendering.ts";
import { isInTime, pauseAfter } from "./retry.ts";
import type { Failure, Report } from "./transitions.ts";

/** Payload of the task that sends. `tries`: those before, so that work that is done twice does not start two rows of tries. */
export interface SendWork {
  readonly message_id: string;
  readonly tries: number;
}

interface ReportWork {
  readonly message_id: string;
  readonly report: Report;
}

type PutOff = Extract<Sending, { kind: "again" | "later" }>;

export const SEND = "outbound_send";
const REPORT = "outbound_report";

export interface DeliveryDeps {
  readonly pool: Pool;
  readonly provider: Provider;
  readonly jobs: Pick<Jobs, "later" | "wake">;
  readonly ports: Ports;
  /** Tells the dispatcher of events that something was committed. */
  readonly wake: () => void;
}

const GONE: Failure = { code: "RECIPIENT_DELETED", reason: "The recipient was deleted before the message was sent." };

const messageOf = (row: SendableRow, recipient: string): ProviderMessage => ({
  message_id: row.id,
  request_id: row.request_id,
  provider: row.provider,
  from: { phone_number: row.sender },
  to: { phone_number: recipient },
  data: { message_template: JSON.parse(row.template) as MessageTemplate },
  rendered: JSON.parse(row.rendered) as Rendered,
});

/** Brings messages to the provider and its words of them back: each at least once, to the same effect as once. */
export const delivery = ({ pool, provider, jobs, ports: { now, newId }, wake }: DeliveryDeps) => {
  const move = (db: Db, id: string, report: Report) => moveMessage(db, id, report, { now: now(), eventId: newId() });

  const taken = async (tx: Db, id: string, sending: Extract<Sending, { kind: "taken" }>): Promise<void> => {
    await nameMessage(tx, id, sending.provider_message_id);
    await move(tx, id, { status: "Sent" });
    for (const { report, afterMs } of sending.reports) {
      const due = new Date(now().getTime() + afterMs);
      await jobs.later(tx, { task: REPORT, payload: { message_id: id, report } satisfies ReportWork, due });
    }
  };

  /** -> the tries that will have been, undefined where somebody else has counted this one */
  const count = async (tx: Db, { id, tries }: SendableRow, kind: PutOff["kind"]): Promise<number | undefined> => {
    if (kind === "later") return tries;
    return (await countTry(tx, id, tries)) ? tries + 1 : undefined;
  };

  const putOff = async (tx: Db, row: SendableRow, { kind, failure, afterMs }: PutOff): Promise<void> => {
    const pause = kind === "later" ? afterMs : pauseAfter(row.tries + 1, afterMs);
    const due = pause === undefined ? undefined : new Date(now().getTime() + pause);
    if (!due || !isInTime(row.created_time, due)) return void (await move(tx, row.id, { status: "Failed", failure }));
    const tries = await count(tx, row, kind);
    if (tries === undefined) return;
    await jobs.later(tx, { task: SEND, payload: { message_id: row.id, tries } satisfies SendWork, due });
  };

  const send = async (work: SendWork, signal: AbortSignal): Promise<void> => {
    const row = await readMessage(pool, work.message_id);
    if (!row || row.status !== "Accepted" || row.tries !== work.tries) return;
    const sending: Sending =
      row.recipient === null
        ? { kind: "refused", failure: GONE }
        : await provider.send(messageOf(row, row.recipient), signal);
    await pool.transaction(async (tx) => {
      if (sending.kind === "taken") await taken(tx, row.id, sending);
      else if (sending.kind === "refused") await move(tx, row.id, { status: "Failed", failure: sending.failure });
      else await putOff(tx, row, sending);
    });
    jobs.wake();
    wake();
  };

  const report = async (id: string, told: Report): Promise<boolean> => {
    const moved = await move(pool, id, told);
    if (moved) wake();
    return moved;
  };

  const tasks: Tasks = {
    [SEND]: (payload, { signal }) => send(payload as SendWork, signal),
    [REPORT]: async (payload) => {
      const { message_id, report: told } = payload as ReportWork;
      await report(message_id, told);
    },
  };
  return { tasks, report };
};
export type Delivery = ReturnType<typeof delivery>;
