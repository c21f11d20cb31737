import type { IparamValues } from "@parley/contract";
import type { KeyValueStore, Schedules } from "@parley/framework/sdk";
import type { AccountClient } from "./account-client.ts";
import type { Settings } from "./settings.ts";

export type WriteLog = Pick<Console, "info" | "warn" | "error">;

/** Members of every event. @units timestamp: epoch ms */
export interface UseCaseInput {
  readonly timestamp: number;
  readonly iparams: IparamValues;
}

/** Dependencies of a use case, which is independent of how it was called and how requests are sent. */
export interface UseCaseDeps {
  readonly account: AccountClient;
  readonly db: KeyValueStore;
  readonly schedule: Schedules;
  readonly log: WriteLog;
  readonly settings: Settings;
  /** Time of the event, by the account's clock. */
  readonly now: Date;
  /** Reports an action to the use cases that follow: see use-case-runner.ts. */
  readonly emit: (happening: UseCaseEvent) => void;
}

/** An action of Concierge that another use case needs. It is reported each time that the event is delivered, so a receiver must be idempotent. */
export type UseCaseEvent =
  | {
      readonly kind: "rated";
      readonly conversation_id: string;
      readonly interaction_id: string;
      readonly user_id: string;
      readonly rating: number;
      readonly feedback?: string;
    }
  | {
      readonly kind: "lead";
      readonly conversation_id: string;
      readonly user_id: string;
      readonly field: "email" | "phone";
    };

/** One task of Concierge at an event. Idempotent: it may be called twice, late or after a restart. */
export interface UseCase<Event> {
  /** Appears in logs and in records of postponed work, so it does not change between versions. */
  readonly name: string;
  /** Begins sentences in the log. */
  readonly title: string;
  run(event: Event, deps: UseCaseDeps): Promise<void>;
}
