import type { KeyValueStore, Schedules } from "@parley/framework/sdk";
import type { AccountClient } from "./account.ts";
import type { Settings } from "./settings.ts";

export type WriteLog = Pick<Console, "info" | "warn" | "error">;

/** All that a use case may touch: it knows neither how it was called nor how it asks. */
export interface UseCaseDeps {
  readonly account: AccountClient;
  readonly db: KeyValueStore;
  readonly schedule: Schedules;
  readonly log: WriteLog;
  readonly settings: Settings;
  /** When what it is called for happened, by the account's clock. */
  readonly now: Date;
  /** Tells the use cases that follow of what this one did: see work.ts. */
  readonly tell: (happening: UseCaseEvent) => void;
}

/** What Concierge itself did that another use case has to know; told each time that the event comes, so whoever hears does its part once. */
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

/** One thing that Concierge does at an event. Called twice, late or after a restart, it does it once. */
export interface UseCase<Event> {
  /** Stands in logs and with what is put off: it stays the same over versions. */
  readonly name: string;
  run(event: Event, deps: UseCaseDeps): Promise<void>;
}
