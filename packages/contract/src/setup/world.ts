import Type, { type Static } from "typebox";
import { Time } from "../api/values.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { SeededCounts, SeedDocument } from "./seed.ts";

/** Clock of a local instance. */
export const ClockState = Type.Object(
  {
    mode: Type.Enum(["real", "shifted", "frozen"], {
      description: "real: the machine's; shifted: goes on from another time; frozen: stands still.",
    }),
    now: Time,
    real_time: Time,
    warning: Type.Optional(Type.String({ description: "What to mind about the last change." })),
  },
  { title: "ClockState" },
);
export type ClockState = Static<typeof ClockState>;

/** `freeze` at the current time or at `time`; `set` to `time`; `advance` by `by`; `run` on from the current value; `reset` to the initial state. */
export const ClockChange = Type.Object(
  {
    action: Type.Enum(["freeze", "set", "advance", "run", "reset"]),
    time: Type.Optional(Time),
    by: Type.Optional(
      Type.String({ minLength: 1, maxLength: 40, description: "Such as 1d, 90m, 1h30m, 45s, 500ms or PT2H." }),
    ),
  },
  { title: "ClockChange" },
);
export type ClockChange = Static<typeof ClockChange>;

export const FAULT_STATUSES = [429, 500, 503] as const;

const faultMembers = {
  target: Type.Optional(
    Type.Enum(["service", "app"], {
      description: "service: requests that come in (the usual one); app: requests that the app sends.",
    }),
  ),
  endpoint: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description:
        "Such as 'POST /v2/conversations/{conversation_id}/messages', 'GET /v2/users*', '* /v2/*', or *: all of them (the usual one).",
    }),
  ),
  host: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 253,
      description: "Of the app's requests: api.example.com, or *.example.com.",
    }),
  ),
  kind: Type.Enum(["latency", "status", "drop"]),
  milliseconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 120_000, description: "Of latency." })),
  status: Type.Optional(
    Type.Enum([...FAULT_STATUSES], { type: "integer", description: "Answered in place of the handler." }),
  ),
  retry_after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description: "Seconds in the Retry-After header of 429 and 503; 1 when absent.",
    }),
  ),
  when: Type.Optional(
    Type.Enum(["before", "after"], {
      description: "The connection drops before anything is done, or after all is done and before its answer.",
    }),
  ),
  rate: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: "How likely; 1 when absent." })),
  times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "How often at most." })),
};

/** A fault to inject. */
export const NewFault = Type.Object(faultMembers, { title: "NewFault" });
export type NewFault = Static<typeof NewFault>;

/** An injected fault with the number of times it took effect. */
export const Fault = Type.Object({ id: Type.String(), ...faultMembers, happened: Type.Integer() }, { title: "Fault" });
export type Fault = Static<typeof Fault>;

/** All data of an instance at the time of the save. */
export const Snapshot = Type.Object(
  {
    name: Type.String(),
    saved_time: Type.String({ format: "date-time", description: "By the machine's clock." }),
    rows: Type.Integer(),
    files: Type.Integer(),
    loadable: Type.Boolean({ description: "false: another release saved it, whose tables are others." }),
  },
  { title: "Snapshot" },
);
export type Snapshot = Static<typeof Snapshot>;

/** Result of loading or saving a snapshot. */
export const SnapshotResult = Type.Object(
  { snapshot: Type.String(), milliseconds: Type.Integer({ description: "Of the machine's time." }) },
  { title: "Exchanged" },
);
export type SnapshotResult = Static<typeof SnapshotResult>;

/** The snapshot that a reset loads. */
export const SEED_SNAPSHOT = "seed";
/** The first seed of the instance, saved when another seed replaces it. */
export const START_SNAPSHOT = "start";

export const SNAPSHOT_NOT_FOUND = problem({
  code: 404,
  status: "SNAPSHOT_NOT_FOUND",
  message: "There is no snapshot of this name.",
  remedy: "Look at the list of snapshots, or save one by this name first.",
});
export const SNAPSHOT_OUTDATED = problem({
  code: 409,
  status: "SNAPSHOT_OUTDATED",
  message: "Another release saved this snapshot: its tables are not those of this one.",
  remedy: "Save it anew from a state that you like, or remove it.",
});
export const FAULT_NOT_FOUND = problem({
  code: 404,
  status: "FAULT_NOT_FOUND",
  message: "There is no fault of this id.",
  remedy: "Look at the list of faults: those that were cleared are gone.",
});
/** The message names the position in the document and the service's error. */
export const SEED_REFUSED = problem({
  code: 409,
  status: "SEED_REFUSED",
  message: "The service refused a part of the seed; nothing of it stayed.",
  remedy: "Correct the place that the message names, and seed again.",
});

const SPEC = "Limits";

/** Endpoints of local instances only: clock, faults and snapshots. Authenticated by the admin key. */
export const worldEndpoints = {
  getWorld: endpoint({
    route: "GET /admin/world",
    summary: "Say how the clock goes, what goes wrong by wish, and which snapshots there are",
    spec: SPEC,
    permission: null,
    reply: {
      code: 200,
      body: Type.Object({
        clock: ClockState,
        faults: Type.Array(Fault),
        snapshots: Type.Array(Snapshot),
        seeding: Type.Optional(
          Type.Object(
            { done: Type.Integer(), total: Type.Integer() },
            { description: "While a document is seeded: how much of it has come true." },
          ),
        ),
      }),
    },
  }),
  changeClock: endpoint({
    route: "PUT /admin/world/clock",
    summary: "Freeze, set or advance the clock, let it run on, or reset it",
    spec: SPEC,
    permission: null,
    body: ClockChange,
    reply: { code: 200, body: ClockState },
  }),
  addFault: endpoint({
    route: "POST /admin/world/faults",
    summary: "Let something go wrong",
    spec: SPEC,
    permission: null,
    body: NewFault,
    reply: { code: 201, body: Fault },
  }),
  removeFault: endpoint({
    route: "DELETE /admin/world/faults/{fault_id}",
    summary: "Let one fault be",
    spec: SPEC,
    permission: null,
    reply: { code: 200, body: Fault },
    problems: [FAULT_NOT_FOUND],
  }),
  clearFaults: endpoint({
    route: "DELETE /admin/world/faults",
    summary: "Let all faults be",
    spec: SPEC,
    permission: null,
    reply: { code: 200, body: Type.Object({ faults: Type.Array(Fault) }) },
  }),
  resetWorld: endpoint({
    route: "POST /admin/world/reset",
    summary: "Go back to the seed: data, clock and faults",
    spec: SPEC,
    permission: null,
    reply: { code: 200, body: SnapshotResult },
    problems: [SNAPSHOT_NOT_FOUND, SNAPSHOT_OUTDATED],
  }),
  saveSnapshot: endpoint({
    route: "PUT /admin/world/snapshots/{name}",
    summary: "Save all data under a name, in place of what was saved under it",
    spec: SPEC,
    permission: null,
    reply: { code: 200, body: SnapshotResult },
  }),
  loadSnapshot: endpoint({
    route: "POST /admin/world/snapshots/{name}/load",
    summary: "Put saved data in place of the present data; clock and faults stay",
    spec: SPEC,
    permission: null,
    reply: { code: 200, body: SnapshotResult },
    problems: [SNAPSHOT_NOT_FOUND, SNAPSHOT_OUTDATED],
  }),
  removeSnapshot: endpoint({
    route: "DELETE /admin/world/snapshots/{name}",
    summary: "Remove a snapshot",
    spec: SPEC,
    permission: null,
    reply: { code: 200, body: Snapshot },
    problems: [SNAPSHOT_NOT_FOUND],
  }),
  seedWorld: endpoint({
    route: "POST /admin/world/seed",
    summary: "Fill the instance from a document, and make that what a reset returns to",
    spec: SPEC,
    permission: null,
    query: Type.Object({
      keep_seed: Type.Optional(Type.Boolean({ description: "true: a reset still returns to the seed before." })),
      anew: Type.Optional(
        Type.Boolean({ description: "true: fill what the instance began with, and not what it holds now." }),
      ),
    }),
    body: SeedDocument,
    reply: { code: 200, body: SeededCounts },
    problems: [SEED_REFUSED],
  }),
};
