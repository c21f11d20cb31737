import {
  SET_UP_EVENTS,
  type HandledEvent,
  type InvocationKind,
  type PayloadSource,
  type EventToRaise,
  type FunctionToCall,
  type HostedApp,
  type Invocation,
} from "@parley/contract";
import type { Installation, InstallationAccount, Installations } from "../state/installations.ts";
import type { Invocations } from "../state/invocations.sql.ts";
import type { Project } from "../model/project.ts";
import { recordedPayload, samplePayload, readTestData } from "./samples.ts";
import { refuseControl } from "../model/app-refused.ts";
import type { ScheduleFailures } from "../runtime/triggers/schedule-failures.ts";
import { scheduledPayload } from "../runtime/calls/payload.ts";
import type { AppCalls } from "../runtime/calls/app-calls.ts";

interface EventsDeps {
  readonly project: () => Project;
  readonly invocations: Pick<Invocations, "list">;
  readonly now: () => Date;
}

type HandledEventRow = Pick<HandledEvent, "event" | "module" | "handler" | "kind">;

/** An event or function of an app. @shape name: by which it is raised; `<module>/<event>` if several modules handle the event */
export interface NamedEvent extends HandledEventRow {
  readonly name: string;
}

interface EventPayload {
  readonly source: PayloadSource;
  readonly payload: Readonly<Record<string, unknown>>;
}

const EVENT_KINDS: Readonly<Record<string, InvocationKind>> = {
  ...Object.fromEntries(SET_UP_EVENTS.map((event) => [event, "set-up" as const])),
  onScheduledEvent: "scheduled",
  onExternalEvent: "external",
};

/** Number of recorded calls that are searched for a genuine payload. */
const SEARCHED_CALLS_MAX = 100;

/** Every event and function that the app handles. */
const handledEvents = ({ handlers, manifest }: Project): HandledEventRow[] => [
  ...handlers.map(({ event, module, handler }) => ({
    event,
    module,
    handler,
    kind: Object.hasOwn(EVENT_KINDS, event) ? (EVENT_KINDS[event] ?? "product") : "product",
  })),
  ...Object.keys(manifest.modules["common"]?.functions ?? {}).map((name) => ({
    event: name,
    module: "common",
    handler: name,
    kind: "function" as const,
  })),
];

/**
 * Selects the payload of an event that is raised without a payload: the author's test data, else the newest recorded call, else a sample.
 * @errors TestDataUnusable
 */
const createPayloadFinder =
  ({ project, invocations, now }: EventsDeps) =>
  async ({ event, module, kind }: HandledEventRow, at: Pick<Installation, "domain">): Promise<EventPayload> => {
    const testData = await readTestData(project().folder, module, event);
    if (testData) return { source: { from: "file", file: testData.file }, payload: testData.payload };
    const recorded = await invocations.list({ event, kind, limit: SEARCHED_CALLS_MAX });
    // A product event with a source came from the service; one without was raised manually.
    const newest = recorded.findLast(({ source }) => kind !== "product" || source !== undefined);
    if (newest) return { source: { from: "recorded", id: newest.id }, payload: recordedPayload(newest) };
    return { source: { from: "sample" }, payload: kind === "function" ? {} : samplePayload(event, now(), at) };
  };

export interface EventRaiserDeps {
  readonly project: () => Project;
  readonly installations: Pick<Installations, "find">;
  readonly calls: Pick<AppCalls, "raise" | "invokeFunction">;
  readonly invocations: Invocations;
  readonly failures: Pick<ScheduleFailures, "find" | "remove">;
  readonly now: () => Date;
  /** The account that the app is or would be installed on. */
  readonly account: InstallationAccount;
}

type Payload = Readonly<Record<string, unknown>>;
type QualifiableEvent = Pick<HandledEvent, "event" | "module">;

const listed = (names: readonly string[]): string => [...new Set(names)].sort().join(", ") || "none";

/** The event's name, qualified as `<module>/<event>` if several modules handle the event. */
const qualifiedName = ({ event, module }: QualifiableEvent, all: readonly QualifiableEvent[]): string =>
  all.filter((one) => one.event === event).length > 1 ? `${module}/${event}` : event;

/** Raises events and calls functions on request of the app's author. Each refusal states what to do. */
export const createEventRaiser = (deps: EventRaiserDeps) => {
  const payload = createPayloadFinder(deps);

  const installed = async (): Promise<Installation> => {
    const installation = await deps.installations.find();
    if (installation) return installation;
    refuseControl(
      409,
      `${deps.project().name} is not installed: open its installation page, or start it with 'npx parley run --install'.`,
    );
  };
  const declared = (isFunction: boolean): HandledEventRow[] =>
    handledEvents(deps.project()).filter(({ kind }) => (kind === "function") === isFunction);
  const handled = (event: string, isFunction: boolean): HandledEventRow => {
    const all = declared(isFunction);
    const found = all.find((one) => one.event === event || qualifiedName(one, all) === event);
    if (found) return found;
    const names = listed(all.map((one) => qualifiedName(one, all)));
    refuseControl(
      404,
      isFunction
        ? `The manifest names no function ${event}. Its functions: ${names}.`
        : `The app has no handler for ${event}. It handles: ${names}.`,
    );
  };
  /** The request id of the call is the id of its recorded invocation. */
  const callFunction = async (name: string, args: Payload, installation: Installation): Promise<Invocation> => {
    const outcome = await deps.calls.invokeFunction(name, args, installation);
    const { requestID } = outcome.ok ? outcome : outcome.failure;
    const recorded = await deps.invocations.find(requestID);
    if (recorded) return recorded;
    refuseControl(500, outcome.ok ? `The call of ${name} was not recorded.` : outcome.failure.message);
  };
  const raise = async ({ event, payload: givenPayload }: EventToRaise): Promise<Invocation> => {
    const handler = handled(event, false);
    const installation = await installed();
    return deps.calls.raise(event, givenPayload ?? (await payload(handler, installation)).payload, installation);
  };
  const invoke = async ({ name, args }: FunctionToCall): Promise<Invocation> => {
    const handler = handled(name, true);
    const installation = await installed();
    return callFunction(name, args ?? (await payload(handler, installation)).payload, installation);
  };
  const find = async (id: string): Promise<Invocation> => {
    const found = await deps.invocations.find(id);
    if (found) return found;
    refuseControl(404, `There is no invocation ${id}: only the newest invocations are kept.`);
  };

  /** Calls the handler of a failed schedule again. The failure is removed if the handler succeeds. */
  const replayFailedSchedule = async (id: string): Promise<Invocation | undefined> => {
    const failure = await deps.failures.find(id);
    if (!failure) return undefined;
    handled("onScheduledEvent", false);
    const installation = await installed();
    const payload = scheduledPayload(failure, deps.project().manifest, installation, deps.now());
    const invocation = await deps.calls.raise("onScheduledEvent", { ...payload }, installation);
    if (invocation.ok) await deps.failures.remove(id);
    return invocation;
  };

  /** Host of the account that the app is installed on, or would be. */
  const targetDomain = async () => ({ domain: (await deps.installations.find())?.domain ?? deps.account.domain });

  return {
    raise,
    invoke,
    find,
    /** Every event and function with the name by which it is raised. */
    named: (): NamedEvent[] =>
      [declared(false), declared(true)].flatMap((all) => all.map((one) => ({ ...one, name: qualifiedName(one, all) }))),
    /** Repeats a recorded call, or a failed schedule, with the current code and parameters. */
    async replay(id: string): Promise<Invocation> {
      const fired = await replayFailedSchedule(id);
      if (fired) return fired;
      const { event, kind, ...recorded } = await find(id);
      const again = recordedPayload({ event, kind, ...recorded });
      if (kind === "job")
        refuseControl(409, "Jobs can't be replayed. Start the job again from the app, with client.job.invoke.");
      return kind === "function" ? invoke({ name: event, args: again }) : raise({ event, payload: again });
    },
    async app(): Promise<HostedApp> {
      const project = deps.project();
      const installation = await deps.installations.find();
      const domain = await targetDomain();
      const events = await Promise.all(
        handledEvents(project).map(async (one) => ({ ...one, payload: (await payload(one, domain)).source })),
      );
      return {
        name: project.name,
        folder: project.folder,
        ...(installation ? { account: installation.account } : {}),
        events,
      };
    },
  };
};
