import Type, { type Static } from "typebox";
import type { InvocationKind } from "./invocations.ts";

/** Requests of an app's author to the app's host: JSON under `/admin`, with the admin key as bearer token. */

/** Maximum size of a payload that an app's author sends. @units bytes of JSON */
export const PAYLOAD_BYTES_MAX = 4 * 1024 * 1024;

const PayloadObject = Type.Record(Type.String(), Type.Unknown());
const Name = Type.String({ minLength: 1, maxLength: 256 });

/** An event to simulate. Without a payload the host chooses a payload, see PayloadSource. */
export const EventToRaise = Type.Object(
  { event: Name, payload: Type.Optional(PayloadObject) },
  { title: "EventToRaise" },
);
export type EventToRaise = Static<typeof EventToRaise>;

/** A function to call. Without arguments the host chooses some, see PayloadSource. */
export const FunctionToCall = Type.Object(
  { name: Name, args: Type.Optional(PayloadObject) },
  { title: "FunctionToCall" },
);
export type FunctionToCall = Static<typeof FunctionToCall>;

/** Installation parameters. Parameters that are not named get their default values. An app with its own installation page can store any JSON. */
export const InstallationInput = Type.Object({ values: Type.Optional(PayloadObject) }, { title: "InstallationInput" });
export type InstallationInput = Static<typeof InstallationInput>;

const Word = Type.Optional(Type.String({ maxLength: 256 }));
const Flag = Type.Optional(Type.Boolean());

/**
 * Filter of invocations. The response has the newest `limit` invocations, the newest last. With `follow` the response is a stream: an
 * empty line, then every invocation when it ends, one per line.
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

/** Source of a payload that the request doesn't contain. @shape file: path in the app's folder; id: of an invocation */
export type PayloadSource =
  | { readonly from: "file"; readonly file: string }
  | { readonly from: "recorded"; readonly id: string }
  | { readonly from: "sample" };

/** An event or function with a handler in the app. */
export interface HandledEvent {
  readonly event: string;
  /** Module of the normalised manifest. */
  readonly module: string;
  readonly handler: string;
  readonly kind: InvocationKind;
  readonly payload: PayloadSource;
}

/** The hosted app in its current version. */
export interface HostedApp {
  readonly name: string;
  readonly folder: string;
  /** The account of the installation; absent if the app is not installed. */
  readonly account?: string;
  readonly events: readonly HandledEvent[];
}

/** Pending work of the host. */
export interface HostActivity {
  /** Events that the service has not delivered to this host yet. */
  readonly events: number;
  /** True if a schedule is due and its invocation has not ended. */
  readonly schedules: boolean;
}
