import type { IparamValues } from "@parley/contract";
import type { KeyValueStore, RequestMethod, Schedules } from "@parley/framework/sdk";
import { createAccountClient } from "./account.ts";
import { HANDLER_BOUNDS } from "./account-requests.ts";
import { note } from "./decision-log.ts";
import { Postponed } from "./postponed.ts";
import { claimRecord, findRecord, removeRecord } from "./records.ts";
import { createSchedule } from "./schedules.ts";
import { AccountRefusal } from "./account-refusal.ts";
import { settingsOf } from "./settings.ts";
import { shortName } from "./short-name.ts";
import type { UseCaseDeps, UseCaseEvent, WriteLog, UseCase } from "./use-case.ts";

/** What the framework gives to a handler. */
export interface UseCaseClients {
  readonly request: RequestMethod;
  readonly db: KeyValueStore;
  readonly schedule: Schedules;
  readonly log: WriteLog;
  /** Ends the handler at once: what was asked of the account may go on unheard. */
  readonly end: () => void;
}

/** What every event says. @units timestamp: epoch ms */
export interface UseCaseOutcome {
  readonly timestamp: number;
  readonly iparams: IparamValues;
}

/** A use case that was put off, with its event, until a schedule takes it up. */
interface Waiting {
  readonly useCase: string;
  readonly event: UseCaseOutcome;
  /** ISO 8601. */
  readonly since: string;
  readonly tries: number;
}

/** How long work is taken up again before it is given up. @units milliseconds */
const RETRY_PERIOD_MS = 3 * 24 * 3_600_000;
/** The host keeps a record of up to 40 KB: a longer event is not kept, and comes again instead. @units characters */
const RECORD_CHARACTERS = 36_000;
const WAIT_SECONDS_MAX = 3_600;
export const RETRY_KEY = "again";

const wordsFor: Readonly<Record<Postponed["cause"], string>> = {
  slow: "The messaging API is slow at the moment.",
  allowance: "The account's calls of this hour are nearly used up, and the rest is for its agents.",
  calls: "This takes more calls than one event may make.",
  unreachable: "The messaging API can't be reached or fails at the moment.",
  refused: "The messaging API refuses the API key: save a valid one on the installation page.",
  outside: "The other system does not take it at the moment.",
  turn: "Another event is at the same thing at the moment.",
};

const idOf = (useCase: string, { timestamp: _timestamp, iparams: _iparams, ...event }: UseCaseOutcome): string =>
  `${useCase} ${JSON.stringify(event)}`;

/** -> id of the conversation that an event is about, if it is about one */
const conversationOf = (event: UseCaseOutcome): string | undefined => {
  const { data } = event as { readonly data?: Readonly<Record<string, unknown>> };
  const records = [data?.["conversation"], data?.["message"], data] as ({ conversation_id?: unknown } | undefined)[];
  return records.map((one) => one?.conversation_id).find((id) => typeof id === "string");
};

/** Each next wait is twice as long. */
const secondsOf = ({ seconds, cause }: Postponed, tries: number): number =>
  cause === "allowance" ? seconds : Math.min(seconds * 2 ** tries, Math.max(seconds, WAIT_SECONDS_MAX));

/**
 * Runs use cases at an event, one after the other, each within its own right: one that fails keeps none of the others from running.
 * What can't go on now is put off and taken up again by itself, for three days; anything else that fails is thrown at the end, so that
 * the event comes again.
 * @errors Error
 */
export const createUseCaseRunner = (useCases: readonly UseCase<never>[], means: UseCaseClients) => {
  const known = new Map(useCases.map((useCase) => [useCase.name, useCase as UseCase<UseCaseOutcome>]));
  const { db, schedule, log } = means;

  const depsFor = (event: UseCaseOutcome, now: Date, tell: UseCaseDeps["tell"]): UseCaseDeps => {
    const settings = settingsOf(event.iparams);
    return {
      account: createAccountClient(means.request, { ...HANDLER_BOUNDS, reserve: settings.reserve }),
      db,
      schedule,
      log,
      settings,
      now,
      tell,
    };
  };

  const putOff = async (
    useCase: string,
    event: UseCaseOutcome,
    reason: Postponed,
    waiting?: Waiting,
    at = event.timestamp,
  ) => {
    const name = shortName(RETRY_KEY, idOf(useCase, event));
    const next: Waiting = {
      useCase,
      event,
      since: waiting?.since ?? new Date(at).toISOString(),
      tries: (waiting?.tries ?? -1) + 1,
    };
    if (at - Date.parse(next.since) > RETRY_PERIOD_MS) {
      await removeRecord(db, name);
      const id = conversationOf(event);
      const why = `${wordsFor[reason.cause]} It was tried for three days.`;
      if (id)
        await note(db, id, `given-up-${useCase}`, { at: new Date(at).toISOString(), did: `Gave up: ${useCase}.`, why });
      return log.error(`Given up after three days: ${useCase}. ${wordsFor[reason.cause]} ${reason.message}`);
    }
    if (JSON.stringify(next).length > RECORD_CHARACTERS) throw reason;
    const wait = secondsOf(reason, next.tries);
    // The schedule first: an event that comes again after a process ended between the two finds the record only when both stand. Another
    // name for each try, since a schedule that is at work ends with its call.
    await createSchedule(schedule, {
      name: shortName(RETRY_KEY, `${next.tries} ${name}`),
      data: { kind: RETRY_KEY, key: name },
      schedule_at: new Date(at + wait * 1_000).toISOString(),
    });
    if (waiting) await db.set(name, next);
    else if (!(await claimRecord(db, name, next))) return;
    log.warn(`Put off for ${wait} s: ${useCase}. ${wordsFor[reason.cause]} ${reason.message}`);
  };

  /** -> whether something was put off: then an answer may still be under way, for which nobody waits */
  const runOne = async (
    useCase: UseCase<UseCaseOutcome>,
    event: UseCaseOutcome,
    deps: UseCaseDeps,
    waiting?: Waiting,
  ): Promise<boolean> => {
    try {
      await useCase.run(event, deps);
      return false;
    } catch (error) {
      if (!(error instanceof Postponed)) throw error;
      await putOff(useCase.name, event, error, waiting, deps.now.getTime());
      return true;
    }
  };

  const run = async (
    names: readonly string[],
    event: UseCaseOutcome,
    { now = new Date(event.timestamp), waiting }: { readonly now?: Date; readonly waiting?: Waiting } = {},
  ): Promise<void> => {
    const failures: Error[] = [];
    const happenings: UseCaseEvent[] = [];
    let isPutOff = false;
    const deps = depsFor(event, now, (happening) => void happenings.push(happening));
    const each = async (name: string, of: UseCaseOutcome, kept?: Waiting) => {
      const useCase = known.get(name);
      if (!useCase) return log.warn(`Nothing is known of "${name}", which an earlier version has put off.`);
      try {
        isPutOff = (await runOne(useCase, of, deps, kept)) || isPutOff;
      } catch (error) {
        if (error instanceof AccountRefusal) {
          log.warn(`Refused: ${name}. ${error.message}`);
          // Nobody waits any more for the answer to what was put off.
          if (!kept) failures.push(error);
          return;
        }
        log.error(`Failed: ${name}. ${error instanceof Error ? error.message : String(error)}`);
        failures.push(error instanceof Error ? error : new Error(String(error)));
      }
    };
    for (const name of names) await each(name, event, waiting);
    // What Concierge did itself is an event too.
    for (const happening of happenings)
      for (const name of USE_CASES_BY_KIND[happening.kind]) await each(name, { ...event, happening } as UseCaseOutcome);
    if (failures[0]) throw failures[0];
    if (isPutOff) means.end();
  };

  return {
    run,
    /** Takes up what was put off. @shape key: of its record */
    async again(key: string, told: UseCaseOutcome): Promise<void> {
      const waiting = await findRecord<Waiting>(db, key);
      if (!waiting) return;
      // The settings of now: what was put off may have been put off because of them.
      const event = { ...waiting.event, iparams: told.iparams };
      await run([waiting.useCase], event, { now: new Date(told.timestamp), waiting });
      const left = await findRecord<Waiting>(db, key);
      if (left?.tries === waiting.tries) await removeRecord(db, key);
    },
  };
};
export type UseCaseRunner = ReturnType<typeof createUseCaseRunner>;

/** Which use cases hear of what Concierge did itself. */
const USE_CASES_BY_KIND: Readonly<Record<UseCaseEvent["kind"], readonly string[]>> = {
  rated: ["sync-out", "count"],
  lead: ["count"],
};
