import type { KeyValueStore, Schedules } from "@parley/framework/sdk";
import type { Account } from "./account.ts";
import type { Settings } from "./settings.ts";

export type Log = Pick<Console, "info" | "warn" | "error">;

/** All that a use case may touch: it knows neither how it was called nor how it asks. */
export interface Deps {
  readonly account: Account;
  readonly db: KeyValueStore;
  readonly schedule: Schedules;
  readonly log: Log;
  readonly settings: Settings;
  /** When what it is called for happened, by the account's clock. */
  readonly now: Date;
  /** Tells the use cases that follow of what this one did: see work.ts. */
  readonly tell: (happening: Happening) => void;
}

/** What Concierge itself did that another use case has to know; told each time that the event comes, so whoever hears does its part once. */
export type Happening =
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
  run(event: Event, deps: Deps): Promise<void>;
}
