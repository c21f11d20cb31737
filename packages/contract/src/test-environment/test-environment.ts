import Type, { type Static } from "typebox";
import { Time } from "../api/values.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { SeededCounts, SeedDocument } from "./seed-document.ts";

/** Clock of a local instance. */
export const ClockState = Type.Object(
  {
    mode: Type.Enum(["real", "shifted", "frozen"], {
      description: "real: the machine's clock; shifted: runs with an offset; frozen: stopped.",
    }),
    now: Time,
    real_time: Time,
    warning: Type.Optional(Type.String({ description: "Side effect of the last change to be aware of." })),
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
      description: "service: incoming requests (default); app: requests that the app sends.",
    }),
  ),
  endpoint: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description:
        "Such as 'POST /v2/conversations/{conversation_id}/messages', 'GET /v2/users*', '* /v2/*', or *: all (default).",
    }),
  ),
  host: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 253,
      description: "Host of the app's requests: api.example.com, or *.example.com.",
    }),
  ),
  kind: Type.Enum(["latency", "status", "drop"]),
  milliseconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 120_000, description: "Duration of the latency." })),
  status: Type.Optional(
    Type.Enum([...FAULT_STATUSES], {
      type: "integer",
      description: "Status returned in place of the handler's response.",
    }),
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
      description:
        "Whether the connection is closed before the request is processed, or after it and before the response.",
    }),
  ),
  rate: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: "Probability; 1 when absent." })),
  times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Maximum number of times." })),
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
    loadable: Type.Boolean({ description: "false: saved by another release with other tables." }),
  },
  { title: "Snapshot" },
);
export type Snapshot = Static<typeof Snapshot>;

/** Result of loading or saving a snapshot. */
export const SnapshotResult = Type.Object(
  { snapshot: Type.String(), milliseconds: Type.Integer({ description: "By the machine's clock." }) },
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
  message: "Another release saved this snapshot: its tables differ from those of this release.",
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
export const testEnvironment = {
  getWorld: endpoint({
    route: "GET /admin/world",
    summary: "Get the clock, the injected faults and the snapshots",
    spec: SPEC,
    access: { adminKey: true },
    reply: {
      code: 200,
      body: Type.Object({
        clock: ClockState,
        faults: Type.Array(Fault),
        snapshots: Type.Array(Snapshot),
        seeding: Type.Optional(
          Type.Object(
            { done: Type.Integer(), total: Type.Integer() },
            { description: "Progress while a document is being seeded." },
          ),
        ),
      }),
    },
  }),
  changeClock: endpoint({
    route: "PUT /admin/world/clock",
    summary: "Freeze, set, advance, resume or reset the clock",
    spec: SPEC,
    access: { adminKey: true },
    body: ClockChange,
    reply: { code: 200, body: ClockState },
  }),
  addFault: endpoint({
    route: "POST /admin/world/faults",
    summary: "Inject a fault",
    spec: SPEC,
    access: { adminKey: true },
    body: NewFault,
    reply: { code: 201, body: Fault },
  }),
  removeFault: endpoint({
    route: "DELETE /admin/world/faults/{fault_id}",
    summary: "Remove a fault",
    spec: SPEC,
    access: { adminKey: true },
    reply: { code: 200, body: Fault },
    problems: [FAULT_NOT_FOUND],
  }),
  clearFaults: endpoint({
    route: "DELETE /admin/world/faults",
    summary: "Remove all faults",
    spec: SPEC,
    access: { adminKey: true },
    reply: { code: 200, body: Type.Object({ faults: Type.Array(Fault) }) },
  }),
  resetWorld: endpoint({
    route: "POST /admin/world/reset",
    summary: "Reset data, clock and faults to the seed",
    spec: SPEC,
    access: { adminKey: true },
    reply: { code: 200, body: SnapshotResult },
    problems: [SNAPSHOT_NOT_FOUND, SNAPSHOT_OUTDATED],
  }),
  saveSnapshot: endpoint({
    route: "PUT /admin/world/snapshots/{name}",
    summary: "Save all data as a snapshot, replacing one of the same name",
    spec: SPEC,
    access: { adminKey: true },
    reply: { code: 200, body: SnapshotResult },
  }),
  loadSnapshot: endpoint({
    route: "POST /admin/world/snapshots/{name}/load",
    summary: "Replace all data by a snapshot; clock and faults are unchanged",
    spec: SPEC,
    access: { adminKey: true },
    reply: { code: 200, body: SnapshotResult },
    problems: [SNAPSHOT_NOT_FOUND, SNAPSHOT_OUTDATED],
  }),
  removeSnapshot: endpoint({
    route: "DELETE /admin/world/snapshots/{name}",
    summary: "Remove a snapshot",
    spec: SPEC,
    access: { adminKey: true },
    reply: { code: 200, body: Snapshot },
    problems: [SNAPSHOT_NOT_FOUND],
  }),
  seedWorld: endpoint({
    route: "POST /admin/world/seed",
    summary: "Seed the instance from a document, and make the result the state that a reset restores",
    spec: SPEC,
    access: { adminKey: true },
    query: Type.Object({
      keep_seed: Type.Optional(Type.Boolean({ description: "true: a reset still restores the previous seed." })),
      anew: Type.Optional(
        Type.Boolean({ description: "true: seed the initial data of the instance, not its current data." }),
      ),
    }),
    body: SeedDocument,
    reply: { code: 200, body: SeededCounts },
    problems: [SEED_REFUSED],
  }),
};
