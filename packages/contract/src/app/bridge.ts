import Type, { type Static } from "typebox";
import { JobQuestion } from "./jobs.ts";
import { RecordQuestion } from "./records.ts";
import { FetchMethod, RequestOptions } from "./requests.ts";
import { ScheduleAction } from "./schedules.ts";

/**
 * Messages between an app's child process and its host: JSON, one message per line. The child runs untrusted code, so the host checks
 * every message against these schemas; the child trusts the host.
 */

const Id = Type.Integer({ minimum: 1 });
const Text = Type.String({ maxLength: 8_192 });
const closed = { additionalProperties: false };

/** A serialised error. */
export const AppError = Type.Object({ message: Text, stack: Type.Optional(Text) }, { title: "AppError", ...closed });
export type AppError = Static<typeof AppError>;

/** The argument of `renderData`: none; an error whose message fails the set-up event or the function; or the result of a function. */
export const Rendered = Type.Object(
  { message: Type.Optional(Text), status: Type.Optional(Type.Integer()), data: Type.Optional(Type.Unknown()) },
  { title: "Rendered", ...closed },
);
export type Rendered = Static<typeof Rendered>;

/** Requests of an app to its host. Values of type unknown are checked by the code that handles the request. */
export const Question = Type.Union([
  Type.Object({ of: Type.Literal("request"), name: Text, options: RequestOptions }, closed),
  Type.Object({ of: Type.Literal("fetch"), method: FetchMethod, url: Text, options: Type.Unknown() }, closed),
  Type.Object(
    {
      of: Type.Literal("call"),
      method: Type.String({ maxLength: 32 }),
      url: Text,
      headers: Type.Record(Type.String(), Type.String()),
      body: Type.Optional(Type.String()),
    },
    closed,
  ),
  Type.Object({ of: Type.Literal("schedule"), action: ScheduleAction, options: Type.Unknown() }, closed),
  ...JobQuestion.anyOf,
  Type.Object({ of: Type.Literal("credentials"), name: Type.Unknown() }, closed),
  Type.Object({ of: Type.Literal("target"), renew: Type.Optional(Type.Boolean()) }, closed),
  ...RecordQuestion.anyOf,
]);
export type Question = Static<typeof Question>;

export const AppLogLevel = Type.Enum(["debug", "info", "warn", "error"]);
export type AppLogLevel = Static<typeof AppLogLevel>;

const Name = Type.String({ maxLength: 256 });

/** A handler that an app of platform-version 2.0 declares in its code. */
export const DeclaredEvent = Type.Object({ event: Name, callback: Name }, { title: "DeclaredEvent", ...closed });
export type DeclaredEvent = Static<typeof DeclaredEvent>;

/** Id of the call that a message of the child belongs to; absent outside of calls. */
const Call = Type.Optional(Id);

const Offset = Type.Integer({ minimum: 0 });
/** V8 coverage of one function of the app's bundle: the function's range, then nested blocks with other counts. @units offsets: characters of the bundle */
export const RunFunction = Type.Object(
  {
    ranges: Type.Array(Type.Object({ startOffset: Offset, endOffset: Offset, count: Offset }, closed), {
      maxItems: 10_000,
    }),
    isBlockCoverage: Type.Boolean(),
  },
  { title: "RunFunction", ...closed },
);
export type RunFunction = Static<typeof RunFunction>;

/** Messages of the child: `loaded` or `broken` exactly once at first, then the others. */
export const ChildMessage = Type.Union([
  Type.Object(
    {
      t: Type.Literal("loaded"),
      handlers: Type.Array(Name, { maxItems: 1_000 }),
      events: Type.Optional(Type.Array(DeclaredEvent, { maxItems: 1_000 })),
    },
    closed,
  ),
  Type.Object({ t: Type.Literal("broken"), error: AppError }, closed),
  Type.Object(
    { t: Type.Literal("done"), id: Id, error: Type.Optional(AppError), rendered: Type.Optional(Rendered) },
    closed,
  ),
  Type.Object({ t: Type.Literal("ask"), id: Id, call: Call, question: Question }, closed),
  Type.Object({ t: Type.Literal("log"), call: Call, level: AppLogLevel, text: Text }, closed),
  // Lines that exceeded the limit of the log and were not sent.
  Type.Object({ t: Type.Literal("omitted"), call: Call, lines: Type.Integer({ minimum: 1, maximum: 1e12 }) }, closed),
  // Coverage since the previous coverage message; sent only if the host enabled coverage.
  Type.Object({ t: Type.Literal("coverage"), functions: Type.Array(RunFunction, { maxItems: 1_000 }) }, closed),
]);
export type ChildMessage = Static<typeof ChildMessage>;

/** Clock of a test environment, where it is not the machine's. @units milliseconds */
export interface HandlerClock {
  /** Time of a frozen clock; absent: the clock runs. */
  readonly frozenMs?: number | undefined;
  /** Offset of a running clock from the machine's. */
  readonly offsetMs: number;
}

/** Messages to the child. The members of `failure` become members of the error that the app's promise rejects with. */
export type HostMessage = { readonly clock?: HandlerClock } & HostMessageContent;

type HostMessageContent =
  | {
      readonly t: "load";
      readonly code: string;
      /** Log lines that the child sends in a second. It counts further lines. */
      readonly logLinesPerSecond: number;
      /** Enables coverage. */
      readonly coverage?: true;
    }
  | {
      readonly t: "call";
      readonly id: number;
      readonly handler: string;
      readonly args: unknown;
      readonly renders: boolean;
      /** Secure parameters by key. The child merges them into `args.iparams`; they are not recorded as `args` is. */
      readonly secure?: Readonly<Record<string, string>>;
      /** Secure app settings by key. The child merges them into `args`; they are not recorded. */
      readonly settings?: Readonly<Record<string, string>>;
    }
  | { readonly t: "reply"; readonly id: number; readonly value: unknown }
  | {
      readonly t: "reply";
      readonly id: number;
      readonly failure: { readonly message: string } & Readonly<Record<string, unknown>>;
    };
