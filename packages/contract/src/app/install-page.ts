import Type, { type Static } from "typebox";
import type { IparamType, IparamValue } from "./iparams.ts";
import { RequestOptions, type RequestFailure, type RequestReply } from "./requests.ts";

/** What the installation page and its host say to each other: JSON, under `/custom_configs`. */

const Values = Type.Record(Type.String(), Type.Unknown());

/** A form to be kept: values by key, and by key what callbacks changed about the parameters. */
export const InstallSave = Type.Object({ values: Values, attributes: Values }, { title: "InstallSave" });
export type InstallSave = Static<typeof InstallSave>;

export type InstallAnswer =
  | { readonly ok: true }
  | { readonly ok: false; readonly errors: Readonly<Record<string, string>>; readonly message: string };

/** One value whose expressions the page asks about. */
export const InstallCheck = Type.Object({ key: Type.String(), value: Type.Unknown() }, { title: "InstallCheck" });
export type InstallCheck = Static<typeof InstallCheck>;

export interface InstallCheckAnswer {
  readonly error?: string;
}

/** A request that a callback makes, with the form's values of that moment. */
export const InstallRequest = Type.Object(
  { name: Type.String(), options: RequestOptions, values: Values },
  { title: "InstallRequest" },
);
export type InstallRequest = Static<typeof InstallRequest>;

export type InstallRequestAnswer = { readonly reply: RequestReply } | { readonly failure: RequestFailure };

/** A parameter as the page's script knows it. */
export interface InstallField {
  readonly key: string;
  readonly type: IparamType;
  readonly label: string;
  readonly required: boolean;
  readonly visible: boolean;
  readonly options?: readonly string[];
  readonly secure: boolean;
  /** A secure value is kept, so that an empty field is no empty value. */
  readonly stored: boolean;
  readonly callback?: string;
  /** Has expressions, which only the server evaluates. */
  readonly patterns: boolean;
}

/** What the page is told when it is loaded; no secure value is in it. */
export interface InstallModel {
  /** To be sent along with each request: proof that the page is ours. */
  readonly token: string;
  readonly fields: readonly InstallField[];
  readonly domainSuffix: string;
  /** As kept; empty before the first installation. */
  readonly values: Readonly<Record<string, IparamValue>>;
  /** Names under which the account's address stands in `currentHost`. */
  readonly products: readonly string[];
  readonly modules: readonly string[];
}
