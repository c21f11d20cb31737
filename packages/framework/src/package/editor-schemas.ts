import {
  Iparam,
  IPARAM_TYPES,
  RequestTemplate,
  AppModule,
  Manifest,
  MODULES,
  PLATFORM_VERSIONS,
  ProductManifest,
} from "@parley/contract";

/** A JSON Schema. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** A schema of the contract as plain JSON. */
const plain = (schema: object): JsonSchema => JSON.parse(JSON.stringify(schema)) as JsonSchema;

const propertiesOf = ({ properties = {} }: JsonSchema) => properties as Readonly<Record<string, JsonSchema>>;

/** Adds descriptions to the properties of an object schema. @errors Error for a property that does not exist */
const described = (schema: JsonSchema, descriptions: Readonly<Record<string, string>>): JsonSchema => {
  const properties = propertiesOf(schema);
  const unknownNames = Object.keys(descriptions).filter((name) => !Object.hasOwn(properties, name));
  if (unknownNames.length > 0) throw new Error(`no such property: ${unknownNames.join(", ")}`);
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        descriptions[name] ? { ...property, description: descriptions[name] } : property,
      ]),
    ),
  };
};

/** The schema of a file, which allows a `$schema` member. */
const fileSchema = (title: string, schema: JsonSchema): JsonSchema => ({
  $schema: "http://json-schema.org/draft-07/schema#",
  ...schema,
  title,
  properties: {
    $schema: { type: "string", description: "For the editor; not part of a package." },
    ...propertiesOf(schema),
  },
});

const named = (names: readonly string[], each: JsonSchema, otherProperties: JsonSchema | false): JsonSchema => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, each])),
  additionalProperties: otherProperties,
});

const module = plain(AppModule);
/** Schema of the values in a member of a module, such as one event of `events`. */
const valueOf = (member: string): JsonSchema => {
  const patterns = propertiesOf(module)[member]?.["patternProperties"] as Readonly<Record<string, JsonSchema>>;
  return Object.values(patterns)[0] ?? {};
};

const place = described(valueOf("location"), {
  url: "Page of app/ that is shown there, such as index.html.",
  icon: "Image of app/, such as styles/images/icon.svg.",
});
const event = described(valueOf("events"), { handler: "Name of the function among the exports of server/." });
const fn = described(valueOf("functions"), { timeout: "Seconds that a call may take: 20, 25 or 30." });

/** Schema of a module; a known module allows only its own places and events. */
const moduleSchema = (name: string | undefined): JsonSchema => {
  const moduleRow = name === undefined ? undefined : MODULES[name];
  return described(
    {
      ...module,
      properties: {
        ...propertiesOf(module),
        location: moduleRow ? named(moduleRow.places, place, false) : named([], place, place),
        events: moduleRow ? named(moduleRow.events, event, false) : named([], event, event),
        functions: named([], fn, fn),
      },
    },
    {
      location: "Where pages of app/ are shown.",
      events: "Events that the app handles, each with the function of server/ to call.",
      requests: "Names of the templates of config/requests.json that the app uses.",
      functions: "Functions of server/ that pages of app/ may call.",
      jobs: "Functions of server/ that pages of app/ may start as jobs of up to two minutes.",
    },
  );
};

const DESCRIPTIONS = {
  "platform-version": "Version of the framework that the app is written for.",
  dependencies: "Packages that server/ requires, each with its exact version.",
  engines: "Versions of Node that the app was made with.",
};
const versions = (includes: (version: string) => boolean) => ({ enum: PLATFORM_VERSIONS.filter(includes) });
const hasModules = (version: string): boolean => version.startsWith("3.");

const moduleRow = Object.keys(MODULES);
const modules: JsonSchema = {
  type: "object",
  description: "Places, events and functions by module of the product. common contains those that belong to no module.",
  properties: Object.fromEntries(moduleRow.map((name) => [name, moduleSchema(name)])),
  additionalProperties: moduleSchema(undefined),
};

const byModule = described(
  {
    ...plain(Manifest),
    properties: { ...propertiesOf(plain(Manifest)), "platform-version": versions(hasModules), modules },
  },
  DESCRIPTIONS,
);
const byProduct = described(
  {
    ...plain(ProductManifest),
    properties: {
      ...propertiesOf(plain(ProductManifest)),
      "platform-version": versions((version) => !hasModules(version)),
      product: named(["freshchat"], moduleSchema(undefined), moduleSchema(undefined)),
    },
  },
  {
    ...DESCRIPTIONS,
    product: "Places, events and functions by product.",
    "whitelisted-domains": "Up to 2.2: addresses that requests may reach, such as https://*.example.com.",
  },
);

/** `manifest.json`: modules from 3.0 on, products before. */
const manifestSchema = (): JsonSchema =>
  fileSchema("manifest.json", {
    type: "object",
    required: ["platform-version"],
    properties: { "platform-version": { ...versions(() => true), description: DESCRIPTIONS["platform-version"] } },
    if: { properties: { "platform-version": versions(hasModules) } },
    then: byModule,
    else: byProduct,
  });

const template = (): JsonSchema => {
  const whole = plain(RequestTemplate);
  const { schema = {}, options = {} } = propertiesOf(whole);
  return {
    ...whole,
    properties: {
      schema: described(schema, {
        protocol: "Always https.",
        host: "Full host name, such as api.example.com or <%= iparam.domain %>.",
        path: "Begins with /, or with a placeholder whose value does.",
        headers: "The only place for <%= iparam.k %> of a secure parameter.",
        query: "Parameters of the address; an empty one is left out.",
      }),
      options: described(options, {
        maxAttempts: "Total number of attempts.",
        retryDelay: "Milliseconds between attempts.",
        timeout: "Seconds that one attempt may take.",
        isOAuth: "Whether <%= access_token %> is used in its headers; true by default if oauth is given.",
        oauth: "Name of the integration in config/oauth_config.json whose token is sent.",
      }),
    },
  };
};

/** `config/requests.json`. */
const requestsSchema = (): JsonSchema =>
  fileSchema("config/requests.json", {
    type: "object",
    description:
      "Templates by name. <%= iparam.k %>, <%= context.k %> and <%= encode(…) %> are filled in when one is used.",
    additionalProperties: template(),
  });

const choosing = Object.entries(IPARAM_TYPES).flatMap(([type, { options }]) => (options ? [type] : []));
const ofType = (types: readonly string[]): JsonSchema => ({ properties: { type: { enum: types } } });

/** Schema of one parameter, with the requirements of its type. */
const iparam = (): JsonSchema => ({
  ...described(plain(Iparam), {
    display_name: "Label on the installation page.",
    description: "Text that helps to fill in the field.",
    type: "Kind of value, which determines the field and its checks.",
    options: "Choices of dropdown, radio and multiselect.",
    default_value: "Initial value of the field; one of the options, if there are any.",
    required: "Whether it must be filled in.",
    visible: "Whether the field is shown at first.",
    secure: "Stored encrypted, and sent in request headers only. Handlers and pages do not receive it.",
    regex: "Pairs: <name> is an expression, <name>-error the message for a value that doesn't match.",
    type_attributes:
      "product (api_key and domain): the product that the parameter belongs to. section: title of the section that begins with this parameter.",
    "data-bind": "Account detail that other app hosts fill in. On Parley the person fills it in.",
    modules: "Modules to which the parameter applies, in an app for several products.",
    events: 'Functions of config/assets/iparams.js: [{ "change": "checkName" }].',
  }),
  allOf: [
    { if: ofType(choosing), then: { required: ["options"] }, else: { properties: { options: false } } },
    { if: ofType(["api_key"]), then: { required: ["type_attributes"] } },
  ],
});

/** `config/iparams.json`. */
const iparamsSchema = (): JsonSchema =>
  fileSchema("config/iparams.json", {
    type: "object",
    description: "Installation parameters by key, in the order in which the page shows them.",
    additionalProperties: iparam(),
  });

/** JSON Schemas of an app's files for completion in editors, by file name. */
export const editorSchemas = (): Readonly<Record<string, JsonSchema>> => ({
  "manifest.schema.json": manifestSchema(),
  "iparams.schema.json": iparamsSchema(),
  "requests.schema.json": requestsSchema(),
});
