import { Iparam, IPARAM_TYPES } from "@parley/contract";
import { described, fileSchema, plain, type JsonSchema } from "./described.ts";

const choosing = Object.entries(IPARAM_TYPES).flatMap(([type, { options }]) => (options ? [type] : []));
const ofType = (types: readonly string[]): JsonSchema => ({ properties: { type: { enum: types } } });

/** One parameter, with what its type asks for beside what all have. */
const iparam = (): JsonSchema => ({
  ...described(plain(Iparam), {
    display_name: "Label on the installation page.",
    description: "Text that helps to fill in the field.",
    type: "Kind of value, which decides about field and checks.",
    options: "What may be chosen, for dropdown, radio and multiselect.",
    default_value: "What the field holds at first; of the options, where there are some.",
    required: "Whether it must be filled in.",
    visible: "Whether the field is shown at first.",
    secure: "Kept encrypted, and sent in request headers only: no handler and no page ever sees it.",
    regex: "Pairs: <name> is an expression, <name>-error what is said when a value doesn't match.",
    type_attributes:
      "product, of api_key and domain: the product that they belong to. section: title of the section of the page that begins with this parameter.",
    "data-bind": "Detail of the account that the field's own page fills in; here the person fills it in.",
    modules: "Of an app for several products: the modules that it is for.",
    events: 'Functions of config/assets/iparams.js: [{ "change": "checkName" }].',
  }),
  allOf: [
    { if: ofType(choosing), then: { required: ["options"] }, else: { properties: { options: false } } },
    { if: ofType(["api_key"]), then: { required: ["type_attributes"] } },
  ],
});

/** `config/iparams.json`. */
export const iparamsSchema = (): JsonSchema =>
  fileSchema("config/iparams.json", {
    type: "object",
    description: "Installation parameters by key, in the order in which the page shows them.",
    additionalProperties: iparam(),
  });
