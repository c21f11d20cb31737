import Type, { type Static } from "typebox";
import type { IparamType } from "./iparam-types.ts";
import type { IparamValues } from "./iparams.ts";
import { FetchMethod, RequestOptions, type FetchReply, type RequestFailure, type RequestReply } from "./requests.ts";

/** What the installation page and its host say to each other: JSON, under `/custom_configs`. */

const Values = Type.Record(Type.String(), Type.Unknown());

/** What a page was made of: the kinds of the parameters, and the save that its values are of. Both are compared only. */
export const InstallBasis = Type.Object({ form: Type.String(), kept: Type.String() }, { title: "InstallBasis" });
export type InstallBasis = Static<typeof InstallBasis>;

/**
 * A form to be kept: values by key, and by key what callbacks changed about the parameters. A key that is left out keeps what is
 * stored or gets its default; `removed` names secure values that are stored no longer.
 */
export const InstallSave = Type.Object(
  {
    values: Values,
    attributes: Values,
    removed: Type.Optional(Type.Array(Type.String())),
    basis: Type.Optional(InstallBasis),
  },
  { title: "InstallSave" },
);
export type InstallSave = Static<typeof InstallSave>;

/** With the basis of a next save. */
export type InstallAnswer =
  | { readonly ok: true; readonly basis?: InstallBasis }
  | {
      readonly ok: false;
      readonly errors: Readonly<Record<string, string>>;
      readonly message: string;
      readonly basis?: InstallBasis;
    };

/** One value whose expressions the page asks about. */
export const InstallCheck = Type.Object({ key: Type.String(), value: Type.Unknown() }, { title: "InstallCheck" });
export type InstallCheck = Static<typeof InstallCheck>;

export interface InstallCheckAnswer {
  readonly error?: string;
}

/** A use of the request method by the app's code on the page: of a template, or of a verb. */
const TemplateQuestion = Type.Object({ name: Type.String(), options: RequestOptions });
const FetchQuestion = Type.Object({
  method: FetchMethod,
  url: Type.String({ maxLength: 8_192 }),
  options: Type.Optional(Type.Unknown()),
});

/** A request that a callback makes, with the form's values of that moment. */
export const InstallRequest = Type.Object(
  { question: Type.Union([TemplateQuestion, FetchQuestion]), values: Values },
  { title: "InstallRequest" },
);
export type InstallRequest = Static<typeof InstallRequest>;
export type InstallQuestion = InstallRequest["question"];

/** An account elsewhere that the app asks to be let into. */
export interface InstallConnection {
  readonly name: string;
  readonly displayName: string;
  /** Each agent lets the app in for himself, or one person for all. */
  readonly tokenType: "account" | "agent";
  readonly authorized: boolean;
}

export type InstallRequestAnswer = { readonly reply: RequestReply | FetchReply } | { readonly failure: RequestFailure };

/** A parameter as the page's script knows it. */
export interface InstallField {
  readonly key: string;
  readonly type: IparamType;
  readonly label: string;
  readonly required: boolean;
  readonly visible: boolean;
  readonly options?: readonly string[];
  /** What follows the account's name in a domain of another product. */
  readonly suffix?: string;
  /** The value of a domain is the account's name alone. */
  readonly isLabel?: boolean;
  readonly secure: boolean;
  /** A secure value that the page never gets: one that is stored, or the app's default. Left alone, the field keeps it. */
  readonly held?: "stored" | "default";
  readonly callback?: string;
  /** Has expressions, which only the server evaluates. */
  readonly patterns: boolean;
}

/** What the page is told when it is loaded; no secure value is in it. */
export interface InstallModel {
  /** To be sent along with each request: proof that the page is ours. */
  readonly token: string;
  readonly basis: InstallBasis;
  readonly fields: readonly InstallField[];
  readonly domainSuffix: string;
  /** Host of the account where the form names none. */
  readonly domain: string;
  readonly installed: boolean;
  /** As kept; empty before the first installation. */
  readonly values: IparamValues;
  /** Keys of the secure values that are kept. */
  readonly secure: readonly string[];
  /** Names under which the account's address stands in `currentHost`. */
  readonly products: readonly string[];
  readonly modules: readonly string[];
}
