import Type, { type Static } from "typebox";
import { JobQuestion } from "./jobs.ts";
import { RecordQuestion } from "./records.ts";
import { FetchMethod, RequestOptions } from "./requests.ts";
import { ScheduleAction } from "./schedules.ts";

/**
 * What an app's child process and its host say to each other: JSON, one message a line. The child runs a stranger's code,
 * so the host checks every message against these schemas; the child takes the host at its word.
 */

const Id = Type.Integer({ minimum: 1 });
const Text = Type.String({ maxLength: 8_192 });
const closed = { additionalProperties: false };

/** An error as it crosses the wire: no more than a reader needs. */
export const AppError = Type.Object({ message: Text, stack: Type.Optional(Text) }, { title: "AppError", ...closed });
export type AppError = Static<typeof AppError>;

/**
 * What the handler gave to `renderData`: nothing; a refusal, whose message stops a set-up and fails a function; or, of a
 * function, its data.
 */
export const Rendered = Type.Object(
  { message: Type.Optional(Text), status: Type.Optional(Type.Integer()), data: Type.Optional(Type.Unknown()) },
  { title: "Rendered", ...closed },
);
export type Rendered = Static<typeof Rendered>;

/** What an app may ask of its host. Arguments of the app's own are checked where they are used. */
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

export const LogLevel = Type.Enum(["debug", "info", "warn", "error"]);
export type LogLevel = Static<typeof LogLevel>;

const Name = Type.String({ maxLength: 256 });

/** A handler as an app of platform-version 2.0 declares it: in its code. */
export const DeclaredEvent = Type.Object({ event: Name, callback: Name }, { title: "DeclaredEvent", ...closed });
export type DeclaredEvent = Static<typeof DeclaredEvent>;

/** The call that a message of the child belongs to, where it belongs to one. */
const Call = Type.Optional(Id);

const Offset = Type.Integer({ minimum: 0 });
/** A function of the app's bundle as V8 counts it: its own range, then the blocks in it that ran more or less often. @units characters of the bundle */
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

/** From the child: `loaded` or `broken` once, then the rest. */
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
  Type.Object({ t: Type.Literal("log"), call: Call, level: LogLevel, text: Text }, closed),
  // What has run since the message before, where the host has asked for it.
  Type.Object({ t: Type.Literal("coverage"), functions: Type.Array(RunFunction, { maxItems: 1_000 }) }, closed),
]);
export type ChildMessage = Static<typeof ChildMessage>;

/** To the child. `failure` of a reply becomes the members of the error that the app's promise rejects with. */
export type HostMessage =
  | { readonly t: "load"; readonly code: string; /** Whether what runs is counted. */ readonly coverage?: true }
  | {
      readonly t: "call";
      readonly id: number;
      readonly handler: string;
      readonly args: unknown;
      readonly renders: boolean;
      /** Secure parameters that join `args.iparams` inside the process, by key: `args` is recorded, these are not. */
      readonly secure?: Readonly<Record<string, string>>;
      /** Secure app settings that join `args` themselves, by key; not recorded either. */
      readonly settings?: Readonly<Record<string, string>>;
    }
  | { readonly t: "reply"; readonly id: number; readonly value: unknown }
  | {
      readonly t: "reply";
      readonly id: number;
      readonly failure: { readonly message: string } & Readonly<Record<string, unknown>>;
    };
