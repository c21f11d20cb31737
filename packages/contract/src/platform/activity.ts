import Type, { type Static } from "typebox";
import { Time } from "../api/values.ts";
import { APP_LIMITS } from "../app/app-limits.ts";
import { Repeat } from "../app/schedules.ts";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { ACCOUNT_APPS, APP_NOT_INSTALLED } from "./installations.ts";
import { SPEC_OF_PLATFORM } from "./packages.ts";

/** Invocations of a page of their list. */
export const INVOCATIONS_PAGE_SIZE = 25;
/** Schedules and failed schedules that are listed at most. */
export const LISTED_SCHEDULES_MAX = 200;

const kind = Type.Enum(["product", "set-up", "scheduled", "external", "function", "job"]);

const summary = {
  id: Type.String(),
  kind,
  event: Type.String({ description: "Event, such as onMessageCreate, or name of the function." }),
  handler: Type.String(),
  source: Type.Optional(Type.String({ description: "Id of the service's event; the same for all attempts." })),
  begun: Time,
  ms: Type.Number({ description: "Milliseconds." }),
  ok: Type.Boolean(),
  error: Type.Optional(Type.String()),
};

/** A call of a handler of an app, without what it was called with. */
export const InvocationSummary = Type.Object(summary, { title: "InvocationSummary" });
export type InvocationSummary = Static<typeof InvocationSummary>;

/** A call of a handler of an app. It contains no secure value. */
export const InvocationDetails = Type.Object(
  {
    ...summary,
    stack: Type.Optional(Type.String()),
    payload: Type.Unknown(),
    output: Type.Optional(Type.Unknown({ description: "Argument of renderData." })),
    lines: Type.Array(Type.Object({ level: Type.String(), text: Type.String() })),
    requests: Type.Array(
      Type.Object({
        method: Type.String(),
        url: Type.String(),
        template: Type.Optional(Type.String()),
        status: Type.Integer({ description: "0 if no request was made." }),
        failure: Type.Optional(Type.String()),
        attempts: Type.Integer(),
        ms: Type.Number(),
      }),
    ),
  },
  { title: "InvocationDetails" },
);
export type InvocationDetails = Static<typeof InvocationDetails>;

const ScheduleData = Type.Record(Type.String(), Type.Unknown());

/** A schedule that an app has created. */
export const InstallationSchedule = Type.Object(
  {
    name: Type.String(),
    data: ScheduleData,
    next_time: Type.Optional(Time),
    repeat: Type.Optional(Repeat),
    created_time: Time,
  },
  { title: "InstallationSchedule" },
);
export type InstallationSchedule = Static<typeof InstallationSchedule>;

/** A time at which a schedule was due, and its handler failed at every attempt. */
export const FailedScheduleRun = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    data: ScheduleData,
    due_time: Time,
    failed_time: Time,
    tries: Type.Integer(),
    reason: Type.String(),
  },
  { title: "FailedScheduleRun" },
);
export type FailedScheduleRun = Static<typeof FailedScheduleRun>;

/** An event that an app handles, or a function of an app in a folder, with a sample of what it is called with. */
export const RaisableEvent = Type.Object(
  {
    event: Type.String({ description: "As it is raised: `module/event` if several modules handle the event." }),
    kind: Type.Optional(kind),
    handler: Type.String(),
    sample: Type.Record(Type.String(), Type.Unknown()),
    sample_file: Type.Optional(
      Type.String({ description: "File in the app's folder from which the sample is; absent for any other sample." }),
    ),
    problem: Type.Optional(Type.String({ description: "Why the file with the sample can't be read." })),
  },
  { title: "RaisableEvent" },
);
export type RaisableEvent = Static<typeof RaisableEvent>;

export const NewRaisedEvent = Type.Object(
  {
    event: Type.String({ minLength: 1, maxLength: 256 }),
    is_function: Type.Optional(
      Type.Boolean({ description: "Calls the function with this name: of apps in folders only." }),
    ),
    payload: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: "NewRaisedEvent" },
);
export type NewRaisedEvent = Static<typeof NewRaisedEvent>;

export const INVOCATION_NOT_FOUND = problem({
  code: 404,
  status: "INVOCATION_NOT_FOUND",
  message: "There is no such call of the app: only the newest calls are kept.",
});
export const EVENT_NOT_HANDLED = problem({
  code: 422,
  status: "EVENT_NOT_HANDLED",
  message: "The app does not handle this event.",
});
export const SCHEDULE_NOT_FOUND = problem({
  code: 404,
  status: "SCHEDULE_NOT_FOUND",
  message: "The app has no schedule with this name.",
  remedy: "Read the list of schedules again: the app, or another admin, may have deleted it.",
});
export const FAILED_RUN_NOT_FOUND = problem({
  code: 404,
  status: "FAILED_RUN_NOT_FOUND",
  message: "There is no such failed run of a schedule.",
  remedy: "Read the list of failed runs again: a run that was repeated with success is no longer listed.",
});
export const APP_PAUSED = problem({
  code: 409,
  status: "APP_PAUSED",
  message: "The app is paused: its handlers are not called.",
  remedy: "Resume the app, then try again.",
});

const ADMINS = { adminKey: true, session: sessionsOf("ADMIN", "account") } as const;
const APP = `${ACCOUNT_APPS}/{name}` as const;

/** Activity of an installation: calls of its handlers, and schedules. */
export const appActivity = {
  listInvocations: endpoint({
    route: `GET ${APP}/invocations`,
    summary: "List the calls of an app's handlers, the newest first",
    spec: SPEC_OF_PLATFORM,
    access: ADMINS,
    query: Type.Object({
      event: Type.Optional(Type.String({ maxLength: 256 })),
      result: Type.Optional(Type.Enum(["succeeded", "failed"])),
      source: Type.Optional(Type.String({ maxLength: 256, description: "Id of the service's event." })),
      from: Type.Optional(Time),
      to: Type.Optional(Time),
      before: Type.Optional(
        Type.String({ minLength: 1, maxLength: 64, description: "next_before of the previous page." }),
      ),
    }),
    reply: {
      code: 200,
      body: Type.Object({
        invocations: Type.Array(InvocationSummary),
        next_before: Type.Optional(Type.String({ description: "Absent on the last page." })),
      }),
    },
    problems: [APP_NOT_INSTALLED],
  }),
  getInvocation: endpoint({
    route: `GET ${APP}/invocations/{invocation_id}`,
    summary: "Get a call of an app's handler with its payload, log lines and requests",
    spec: SPEC_OF_PLATFORM,
    access: ADMINS,
    reply: { code: 200, body: InvocationDetails },
    problems: [APP_NOT_INSTALLED, INVOCATION_NOT_FOUND],
  }),
  listSchedules: endpoint({
    route: `GET ${APP}/schedules`,
    summary: "List an app's schedules by their next time, and the runs that failed at every attempt",
    spec: SPEC_OF_PLATFORM,
    access: ADMINS,
    reply: {
      code: 200,
      body: Type.Object({
        schedules: Type.Array(InstallationSchedule, { maxItems: LISTED_SCHEDULES_MAX }),
        failed: Type.Array(FailedScheduleRun, { maxItems: LISTED_SCHEDULES_MAX }),
      }),
    },
    problems: [APP_NOT_INSTALLED],
  }),
  deleteSchedule: endpoint({
    route: `DELETE ${APP}/schedules`,
    summary: "Delete a schedule of an app: it does not fire again; a call in progress ends",
    spec: SPEC_OF_PLATFORM,
    access: ADMINS,
    query: Type.Object({
      // Not a part of the path: an app may name a schedule "..", which clients remove from a path with the part before it.
      schedule: Type.String({
        minLength: 1,
        maxLength: APP_LIMITS.scheduleNameCharacters,
        description: "Name of the schedule.",
      }),
    }),
    reply: { code: 200, body: InstallationSchedule },
    problems: [APP_NOT_INSTALLED, SCHEDULE_NOT_FOUND],
  }),
  replayFailedRun: endpoint({
    route: `POST ${APP}/schedules/failed/{run_id}/replay`,
    summary: "Repeat a failed run of a schedule, with the app's present code; the run is removed when it succeeds",
    spec: SPEC_OF_PLATFORM,
    access: ADMINS,
    reply: { code: 200, body: InvocationDetails },
    problems: [APP_NOT_INSTALLED, APP_PAUSED, EVENT_NOT_HANDLED, FAILED_RUN_NOT_FOUND],
  }),
  listRaisableEvents: endpoint({
    route: `GET ${APP}/events`,
    summary: "List the events that an app handles, each with a sample payload",
    spec: SPEC_OF_PLATFORM,
    access: ADMINS,
    reply: { code: 200, body: Type.Object({ events: Type.Array(RaisableEvent) }) },
    problems: [APP_NOT_INSTALLED],
  }),
  raiseEvent: endpoint({
    route: `POST ${APP}/events`,
    summary: "Call an app's handler of an event with a payload; its parameters are those of the installation",
    spec: SPEC_OF_PLATFORM,
    access: ADMINS,
    body: NewRaisedEvent,
    reply: { code: 200, body: InvocationDetails },
    problems: [APP_NOT_INSTALLED, APP_PAUSED, EVENT_NOT_HANDLED],
  }),
};
