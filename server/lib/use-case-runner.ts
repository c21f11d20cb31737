import type { KeyValueStore, RequestMethod, ScheduledPayload, Schedules } from "@parley/framework/sdk";
import { createAccountClient } from "./account-client.ts";
import { HANDLER_LIMITS } from "./account-requests.ts";
import { recordDecision } from "./decision-log.ts";
import { durationText } from "./digest.ts";
import { PostponedError, RequestRefusedError } from "./errors.ts";
import { claimRecord, findRecord, removeRecord } from "./records.ts";
import { createSchedule } from "./schedules.ts";
import { settingsOf } from "./settings.ts";
import { hashedName } from "./hashed-name.ts";
import type { UseCaseDeps, UseCaseEvent, UseCaseInput, WriteLog, UseCase } from "./use-case.ts";

/** Clients that the framework passes to a handler. */
interface UseCaseClients {
  readonly request: RequestMethod;
  readonly db: KeyValueStore;
  readonly schedule: Schedules;
  readonly log: WriteLog;
  /** Ends the handler at once, without waiting for pending requests to the account. */
  readonly end: () => void;
}

interface UseCaseRunnerOptions {
  /** Called at each event. */
  readonly clients: () => UseCaseClients;
  /** All use cases: a postponed one is found by its name. */
  readonly useCases: readonly UseCase<never>[];
  /** The use cases that run after each kind of action of Concierge. */
  readonly useCasesAfter: Readonly<Record<UseCaseEvent["kind"], readonly UseCase<never>[]>>;
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

/** -> id of the event's conversation, if it has a conversation */
const conversationOf = (event: UseCaseInput): string | undefined => {
  const { data } = event as { readonly data?: Readonly<Record<string, unknown>> };
  const records = [data?.["conversation"], data?.["message"], data] as ({ conversation_id?: unknown } | undefined)[];
  return records.map((one) => one?.conversation_id).find((id) => typeof id === "string");
};

/** Each delay is twice the previous delay. */
const retryDelaySeconds = ({ seconds, cause }: PostponedError, tries: number): number =>
  cause === "allowance" ? seconds : Math.min(seconds * 2 ** tries, Math.max(seconds, WAIT_SECONDS_MAX));

/** Stores the event with its use case, and schedules the next attempt. After three days of attempts the use case is abandoned. */
const postpone = async (
  useCase: UseCase<UseCaseInput>,
  event: UseCaseInput,
  reason: PostponedError,
  { db, schedule, log, now }: UseCaseDeps,
  waiting?: PostponedWork,
) => {
  const name = hashedName(RETRY_SCHEDULE_KIND, idOf(useCase.name, event));
  const next: PostponedWork = {
    useCase: useCase.name,
    event,
    since: waiting?.since ?? now.toISOString(),
    tries: (waiting?.tries ?? -1) + 1,
  };
  if (now.getTime() - Date.parse(next.since) > RETRY_PERIOD_MS) {
    await removeRecord(db, name);
    const id = conversationOf(event);
    const why = `${capitalize(CAUSE_TEXTS[reason.cause])} It was tried for three days.`;
    if (id)
      await recordDecision(db, id, `given-up-${useCase.name}`, {
        at: now.toISOString(),
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
    schedule_at: new Date(now.getTime() + wait * 1_000).toISOString(),
  });
  if (waiting) await db.set(name, next);
  else if (!(await claimRecord(db, name, next))) return;
  log.warn(`${useCase.title} postponed by ${durationText(wait)}: ${CAUSE_TEXTS[reason.cause]} ${reason.message}`);
};

/** -> whether the use case was postponed, so that a response may be pending for which nothing waits */
const runOrPostpone = async (
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
    await postpone(useCase, event, error, deps, waiting);
    return true;
  }
};

/**
 * Runs the use cases of an event sequentially. A failure of one does not prevent the others. A use case that can't complete now is
 * postponed and resumed by a schedule, for three days; any other failure is thrown at the end, so that the event is delivered again.
 */
export const createUseCaseRunner = ({ clients, useCases, useCasesAfter }: UseCaseRunnerOptions) => {
  const useCasesByName = new Map(useCases.map((useCase) => [useCase.name, useCase]));

  const runAll = async (
    event: UseCaseInput,
    eventUseCases: readonly UseCase<never>[],
    waiting?: PostponedWork,
    now = new Date(event.timestamp),
  ): Promise<void> => {
    const { request, db, schedule, log, end } = clients();
    const settings = settingsOf(event.iparams);
    const account = createAccountClient(request, { ...HANDLER_LIMITS, reserve: settings.reserve });
    const actions: UseCaseEvent[] = [];
    const deps = {
      account,
      db,
      schedule,
      log,
      settings,
      now,
      emit: (action: UseCaseEvent) => void actions.push(action),
    };
    const failures: Error[] = [];
    let isPostponed = false;
    const runUseCase = async (useCase: UseCase<UseCaseInput>, input: UseCaseInput, postponedWork?: PostponedWork) => {
      try {
        isPostponed = (await runOrPostpone(useCase, input, deps, postponedWork)) || isPostponed;
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
    for (const useCase of eventUseCases) await runUseCase(useCase, event, waiting);
    // Concierge's own actions are events too.
    for (const happening of actions) {
      const actionEvent = { ...event, happening };
      for (const useCase of useCasesAfter[happening.kind]) await runUseCase(useCase, actionEvent);
    }
    if (failures[0]) throw failures[0];
    if (isPostponed) end();
  };

  return {
    /** Runs the use cases in the given order. @errors Error */
    run: <Event extends UseCaseInput>(event: Event, eventUseCases: readonly UseCase<Event>[]): Promise<void> =>
      runAll(event, eventUseCases),
    /** Resumes the postponed use case that a schedule of RETRY_SCHEDULE_KIND names. @errors Error */
    resume: async ({ data, iparams, timestamp }: ScheduledPayload): Promise<void> => {
      const { db, log } = clients();
      const key = String(data["key"]);
      const waiting = await findRecord<PostponedWork>(db, key);
      if (!waiting) return;
      const useCase = useCasesByName.get(waiting.useCase);
      // Uses the current settings: the previous settings may have caused the postponement.
      if (useCase) await runAll({ ...waiting.event, iparams }, [useCase], waiting, new Date(timestamp));
      else log.warn(`Postponed work dropped: this version has no use case "${waiting.useCase}".`);
      const current = await findRecord<PostponedWork>(db, key);
      if (current?.tries === waiting.tries) await removeRecord(db, key);
    },
  };
};
