import Type, { type Static } from "typebox";
import { IPARAM_TYPES, type IparamType } from "./iparam-types.ts";

/**
 * One installation parameter as an app declares it.
 * @shape `regex` holds pairs: `<name>` is an expression, `<name>-error` the message when it does not match.
 * @assumed The default of a number may be a number as well as its digits.
 * @spec Resources and their fields > App installation parameters (iparams)
 */
export const Iparam = Type.Object(
  {
    display_name: Type.String({ minLength: 1 }),
    description: Type.Optional(Type.String()),
    type: Type.Enum(Object.keys(IPARAM_TYPES) as [IparamType, ...IparamType[]]),
    options: Type.Optional(Type.Array(Type.String())),
    default_value: Type.Optional(Type.Union([Type.String(), Type.Boolean(), Type.Number(), Type.Array(Type.String())])),
    required: Type.Optional(Type.Boolean()),
    visible: Type.Optional(Type.Boolean()),
    secure: Type.Optional(Type.Boolean()),
    regex: Type.Optional(Type.Record(Type.String(), Type.String())),
    /** @assumed `section` is ours: the title of a section of the page that begins with this parameter */
    type_attributes: Type.Optional(
      Type.Object({ product: Type.Optional(Type.String()), section: Type.Optional(Type.String()) }),
    ),
    events: Type.Optional(Type.Array(Type.Object({ change: Type.String() }, { additionalProperties: false }))),
    /** Tells the field's page which detail of the account it may fill in. @assumed it is read, and the person fills the parameter in */
    "data-bind": Type.Optional(Type.Union([Type.String({ minLength: 1 }), Type.Boolean()])),
    /** Of an app for several products. @assumed it is read, and the parameter shown whatever it says */
    modules: Type.Optional(Type.Array(Type.String())),
  },
  { title: "Iparam", additionalProperties: false },
);
export type Iparam = Static<typeof Iparam>;

/** `config/iparams.json`: parameters by their key, in the order in which the page shows them. */
export const IparamsConfig = Type.Record(Type.String({ minLength: 1 }), Iparam, { title: "IparamsConfig" });
export type IparamsConfig = Static<typeof IparamsConfig>;

/** @assumed A number is kept as a number, a checkbox as a boolean. */
export type IparamValue = string | number | boolean | string[];
/** By key. @shape a page of the app's own may keep any JSON */
export type IparamValues = Readonly<Record<string, IparamValue | object | null>>;

/**
 * What a change callback may set with `utils.set`.
 * @spec Resources and their fields > App installation parameters (iparams)
 */
export interface IparamAttributes {
  readonly value?: IparamValue;
  readonly label?: string;
  readonly visible?: boolean;
  readonly disabled?: boolean;
  readonly required?: boolean;
  readonly hint?: string;
  readonly values?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}
