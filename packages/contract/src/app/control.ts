import Type, { type Static } from "typebox";
import type { InvocationKind } from "./invocations.ts";

/** What an app's author says to the app's host: JSON, below `/admin`, with the admin key as a bearer token. */

/** The longest payload that is taken from an app's author. @units bytes of JSON */
export const LONGEST_PAYLOAD = 4 * 1024 * 1024;

const Given = Type.Record(Type.String(), Type.Unknown());
const Name = Type.String({ minLength: 1, maxLength: 256 });
const Value = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Array(Type.String())]);

/** An event to be raised; without a payload the host looks for one. */
export const EventToRaise = Type.Object({ event: Name, payload: Type.Optional(Given) }, { title: "EventToRaise" });
export type EventToRaise = Static<typeof EventToRaise>;

/** A function to be called; without arguments the host looks for some. */
export const FunctionToCall = Type.Object({ name: Name, args: Type.Optional(Given) }, { title: "FunctionToCall" });
export type FunctionToCall = Static<typeof FunctionToCall>;

/** Parameters to install the app with; without them it gets what has defaults. */
export const Installing = Type.Object(
  { values: Type.Optional(Type.Record(Type.String(), Value)) },
  { title: "Installing" },
);
export type Installing = Static<typeof Installing>;

const Word = Type.Optional(Type.String({ maxLength: 256 }));
const Flag = Type.Optional(Type.Boolean());

/**
 * Which invocations are asked for: the newest, up to `limit`, the newest last. `follow`: from now on, each as it ends, one a line; an
 * empty line comes first.
 */
export const InvocationQuery = Type.Object(
  {
    handler: Word,
    event: Word,
    kind: Type.Optional(Type.Enum(["product", "set-up", "scheduled", "external", "function", "job"])),
    ok: Flag,
    source: Word,
    after: Word,
    limit: Type.Optional(Type.Integer({ minimum: 1 })),
    follow: Flag,
  },
  { title: "InvocationQuery" },
);
export type InvocationQuery = Static<typeof InvocationQuery>;

/** Where a payload comes from that nobody gave. @shape file: from the app's folder; id: of an invocation */
export type PayloadSource =
  | { readonly from: "file"; readonly file: string }
  | { readonly from: "recorded"; readonly id: string }
  | { readonly from: "sample" };

/** An event or a function that the app has a handler for. */
export interface HandledEvent {
  readonly event: string;
  /** Of the manifest's normal form. */
  readonly module: string;
  readonly handler: string;
  readonly kind: InvocationKind;
  readonly payload: PayloadSource;
}

/** An app as its host has it now. */
export interface HostedApp {
  readonly name: string;
  readonly folder: string;
  /** The account that it is installed on; absent while it is on none. */
  readonly account?: string;
  readonly events: readonly HandledEvent[];
}

/** What is still to come. */
export interface HostActivity {
  /** Events of the service that this host has not taken yet. */
  readonly events: number;
  /** Whether a schedule is due that has not ended firing. */
  readonly schedules: boolean;
}
