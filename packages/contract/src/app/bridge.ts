import Type, { type Static } from "typebox";
import { RequestOptions } from "./requests.ts";

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

/** What the handler gave to `renderData`: nothing, or a reason that stops the set-up. */
export const Rendered = Type.Object({ message: Type.Optional(Text) }, { title: "Rendered", ...closed });
export type Rendered = Static<typeof Rendered>;

/** What an app may ask of its host. */
export const Question = Type.Union([
  Type.Object({ of: Type.Literal("request"), name: Text, options: RequestOptions }, closed),
  Type.Object({ of: Type.Literal("db.get"), key: Type.Unknown() }, closed),
  Type.Object(
    { of: Type.Literal("db.set"), key: Type.Unknown(), value: Type.Unknown(), options: Type.Optional(Type.Unknown()) },
    closed,
  ),
  Type.Object(
    { of: Type.Literal("db.update"), key: Type.Unknown(), action: Type.Unknown(), attributes: Type.Unknown() },
    closed,
  ),
  Type.Object({ of: Type.Literal("db.delete"), key: Type.Unknown() }, closed),
]);
export type Question = Static<typeof Question>;

export const LogLevel = Type.Enum(["debug", "info", "warn", "error"]);
export type LogLevel = Static<typeof LogLevel>;

/** From the child: `loaded` or `broken` once, then the rest. */
export const ChildMessage = Type.Union([
  Type.Object(
    { t: Type.Literal("loaded"), handlers: Type.Array(Type.String({ maxLength: 256 }), { maxItems: 1_000 }) },
    closed,
  ),
  Type.Object({ t: Type.Literal("broken"), error: AppError }, closed),
  Type.Object(
    { t: Type.Literal("done"), id: Id, error: Type.Optional(AppError), rendered: Type.Optional(Rendered) },
    closed,
  ),
  Type.Object({ t: Type.Literal("ask"), id: Id, question: Question }, closed),
  Type.Object({ t: Type.Literal("log"), level: LogLevel, text: Text }, closed),
]);
export type ChildMessage = Static<typeof ChildMessage>;

/** To the child. `failure` of a reply becomes the members of the error that the app's promise rejects with. */
export type HostMessage =
  | { readonly t: "load"; readonly code: string }
  | {
      readonly t: "call";
      readonly id: number;
      readonly handler: string;
      readonly args: unknown;
      readonly renders: boolean;
    }
  | { readonly t: "reply"; readonly id: number; readonly value: unknown }
  | {
      readonly t: "reply";
      readonly id: number;
      readonly failure: { readonly message: string } & Readonly<Record<string, unknown>>;
    };
