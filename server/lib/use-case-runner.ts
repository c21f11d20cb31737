import type { IparamValues } from "@parley/contract";
import type { KeyValueStore, RequestMethod, Schedules } from "@parley/framework/sdk";
import { createAccountClient } from "./account-client.ts";
import { HANDLER_LIMITS } from "./account-requests.ts";
import { recordDecision } from "./decision-log.ts";
import { durationText } from "./digest.ts";
import { PostponedError, RequestRefusedError } from "./errors.ts";
import { claimRecord, findRecord, removeRecord } from "./records.ts";
import { createSchedule } from "./schedules.ts";
import { settingsOf } from "./settings.ts";
import { hashedName } from "./hashed-name.ts";
import type { UseCaseDeps, UseCaseEvent, WriteLog, UseCase } from "./use-case.ts";

/** Clients that the framework passes to a handler. */
export interface UseCaseClients {
  readonly request: RequestMethod;
  readonly db: KeyValueStore;
  readonly schedule: Schedules;
  readonly log: WriteLog;
  /** Ends the handler at once, without waiting for pending requests to the account. */
  readonly end: () => void;
}

/** Members of every event. @units timestamp: epoch ms */
export interface UseCaseInput {
  readonly timestamp: number;
  readonly iparams: IparamValues;
}

/** A postponed use case with its event, until a schedule resumes it. */
interface PostponedWork {
  readonly useCase: string;
  readonly event: UseCaseInput;
  /** ISO 8601. */
  readonly since: string;
  readonly tries: number;
}

/** Period in which postponed work is retried. @units milliseconds */
const RETRY_PERIOD_MS = 3 * 24 * 3_600_000;
/** The host accepts records of up to 40 KB: a longer event is not stored; the host delivers it again instead. @units characters */
const RECORD_CHARACTERS_MAX = 36_000;
const WAIT_SECONDS_MAX = 3_600;
export const RETRY_SCHEDULE_KIND = "again";

/** Continuations of the sentence "… postponed by 1 min: …". */
const CAUSE_TEXTS: Readonly<Record<PostponedError["cause"], string>> = {
  slow: "the messaging API responds too slowly.",
  allowance: "the account's calls of this hour are nearly used up, and the rest is reserved for its agents.",
  calls: "the event needs more calls than one event may make.",
  unreachable: "the messaging API can't be reached or fails.",
  refused: "the messaging API rejects the API key. Save a key with the required permissions on the installation page.",
  "external-system": "the other system did not accept the request.",
  conflict: "another event is changing the same data.",
};

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const idOf = (useCase: string, { timestamp: _timestamp, iparams: _iparams, ...event }: UseCaseInput): string =>
  `${useCase} ${JSON.stringify(event)}`;

/** -> id of the event's conversation, if it has one */
const conversationOf = (event: UseCaseInput): string | undefined => {
  const { data } = event as { readonly data?: Readonly<Record<string, unknown>> };
  const records = [data?.["conversation"], data?.["message"], data] as ({ conversation_id?: unknown } | undefined)[];
  return records.map((one) => one?.conversation_id).find((id) => typeof id === "string");
};

/** Each delay is twice the previous one. */
const retryDelaySeconds = ({ seconds, cause }: PostponedError, tries: number): number =>
  cause === "allowance" ? seconds : Math.min(seconds * 2 ** tries, Math.max(seconds, WAIT_SECONDS_MAX));

/**
 * Runs the use cases of an event sequentially. A failure of one does not prevent the others. A use case that can't complete now is
 * postponed and resumed by a schedule, for three days; any other failure is thrown at the end, so that the event is delivered again.
 * @errors Error
 */
export const createUseCaseRunner = (useCases: readonly UseCase<never>[], clients: UseCaseClients) => {
  const useCasesByName = new Map(useCases.map((useCase) => [useCase.name, useCase as UseCase<UseCaseInput>]));
  const { db, schedule, log } = clients;

  const depsFor = (event: UseCaseInput, now: Date, emit: UseCaseDeps["emit"]): UseCaseDeps => {
    const settings = settingsOf(event.iparams);
    return {
      account: createAccountClient(clients.request, { ...HANDLER_LIMITS, reserve: settings.reserve }),
      db,
      schedule,
      log,
      settings,
      now,
      emit,
    };
  };

  const postpone = async (
    useCase: UseCase<UseCaseInput>,
    event: UseCaseInput,
    reason: PostponedError,
    waiting?: PostponedWork,
    at = event.timestamp,
  ) => {
    const name = hashedName(RETRY_SCHEDULE_KIND, idOf(useCase.name, event));
    const next: PostponedWork = {
      useCase: useCase.name,
      event,
      since: waiting?.since ?? new Date(at).toISOString(),
      tries: (waiting?.tries ?? -1) + 1,
    };
    if (at - Date.parse(next.since) > RETRY_PERIOD_MS) {
      await removeRecord(db, name);
      const id = conversationOf(event);
      const why = `${capitalize(CAUSE_TEXTS[reason.cause])} It was tried for three days.`;
      if (id)
        await recordDecision(db, id, `given-up-${useCase.name}`, {
          at: new Date(at).toISOString(),
          did: `Gave up: ${useCase.name}.`,
          why,
        });
      return log.error(`${useCase.title} abandoned after three days: ${CAUSE_TEXTS[reason.cause]} ${reason.message}`);
    }
    if (JSON.stringify(next).length > RECORD_CHARACTERS_MAX) throw reason;
    const wait = retryDelaySeconds(reason, next.tries);
    // Creates the schedule before the record: if the process ends in between, the repeated event finds no record and postpones again. Each
    // attempt has a new schedule name, since a schedule that is running ends with its call.
    await createSchedule(schedule, {
      name: hashedName(RETRY_SCHEDULE_KIND, `${next.tries} ${name}`),
      data: { kind: RETRY_SCHEDULE_KIND, key: name },
      schedule_at: new Date(at + wait * 1_000).toISOString(),
    });
    if (waiting) await db.set(name, next);
    else if (!(await claimRecord(db, name, next))) return;
    log.warn(`${useCase.title} postponed by ${durationText(wait)}: ${CAUSE_TEXTS[reason.cause]} ${reason.message}`);
  };

  /** -> whether something was postponed, so that a response may be pending for which nothing waits */
  const runOne = async (
    useCase: UseCase<UseCaseInput>,
    event: UseCaseInput,
    deps: UseCaseDeps,
    waiting?: PostponedWork,
  ): Promise<boolean> => {
    try {
      await useCase.run(event, deps);
      return false;
    } catch (error) {
      if (!(error instanceof PostponedError)) throw error;
      await postpone(useCase, event, error, waiting, deps.now.getTime());
      return true;
    }
  };

  const run = async (
    names: readonly string[],
    event: UseCaseInput,
    { now = new Date(event.timestamp), waiting }: { readonly now?: Date; readonly waiting?: PostponedWork } = {},
  ): Promise<void> => {
    const failures: Error[] = [];
    const useCaseEvents: UseCaseEvent[] = [];
    let isPostponed = false;
    const deps = depsFor(event, now, (happening) => void useCaseEvents.push(happening));
    const runNamed = async (name: string, input: UseCaseInput, postponedWork?: PostponedWork) => {
      const useCase = useCasesByName.get(name);
      if (!useCase) return log.warn(`Postponed work dropped: this version has no use case "${name}".`);
      try {
        isPostponed = (await runOne(useCase, input, deps, postponedWork)) || isPostponed;
      } catch (error) {
        if (error instanceof RequestRefusedError) {
          log.warn(`${useCase.title} refused: ${error.message}`);
          // Nothing waits for the response to a postponed request.
          if (!postponedWork) failures.push(error);
          return;
        }
        log.error(`${useCase.title} failed: ${error instanceof Error ? error.message : String(error)}`);
        failures.push(error instanceof Error ? error : new Error(String(error)));
      }
    };
    for (const name of names) await runNamed(name, event, waiting);
    // Concierge's own actions are events too.
    for (const happening of useCaseEvents)
      for (const name of USE_CASES_BY_KIND[happening.kind])
        await runNamed(name, { ...event, happening } as UseCaseInput);
    if (failures[0]) throw failures[0];
    if (isPostponed) clients.end();
  };

  return {
    run,
    /** Resumes a postponed use case. @shape key: of its record */
    async resume(key: string, scheduledEvent: UseCaseInput): Promise<void> {
      const waiting = await findRecord<PostponedWork>(db, key);
      if (!waiting) return;
      // Uses the current settings: the previous ones may have caused the postponement.
      const event = { ...waiting.event, iparams: scheduledEvent.iparams };
      await run([waiting.useCase], event, { now: new Date(scheduledEvent.timestamp), waiting });
      const current = await findRecord<PostponedWork>(db, key);
      if (current?.tries === waiting.tries) await removeRecord(db, key);
    },
  };
};
export type UseCaseRunner = ReturnType<typeof createUseCaseRunner>;

/** The use cases that run after each kind of action of Concierge. */
const USE_CASES_BY_KIND: Readonly<Record<UseCaseEvent["kind"], readonly string[]>> = {
  rated: ["sync-out", "count"],
  lead: ["count"],
};
