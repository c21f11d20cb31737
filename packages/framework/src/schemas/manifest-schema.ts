import { AppModule, Manifest, MODULES, PLATFORM_VERSIONS, ProductManifest } from "@parley/contract";
import { described, fileSchema, plain, propertiesOf, type JsonSchema } from "./described.ts";

const named = (names: readonly string[], each: JsonSchema, strangers: JsonSchema | false): JsonSchema => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, each])),
  additionalProperties: strangers,
});

const module = plain(AppModule);
/** Schema of the values of a member of a module, such as one event of its events. */
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

/** A module as it is declared: with the places and events that it has, where it is known. */
const moduleSchema = (name: string | undefined): JsonSchema => {
  const known = name === undefined ? undefined : MODULES[name];
  return described(
    {
      ...module,
      properties: {
        ...propertiesOf(module),
        location: known ? named(known.places, place, false) : named([], place, place),
        events: known ? named(known.events, event, false) : named([], event, event),
        functions: named([], fn, fn),
      },
    },
    {
      location: "Where pages of app/ are shown.",
      events: "What the app hears, and the function of server/ that is called.",
      requests: "Names of the templates of config/requests.json that the app uses.",
      functions: "Functions of server/ that pages of app/ may call.",
      jobs: "Functions of server/ that pages of app/ may begin, and that go on for up to two minutes.",
    },
  );
};

const SENTENCES = {
  "platform-version": "Version of the framework that the app is written for.",
  dependencies: "Packages that server/ requires, each with its exact version.",
  engines: "Versions of Node that the app was made with.",
};
const versions = (wanted: (version: string) => boolean) => ({ enum: PLATFORM_VERSIONS.filter(wanted) });
const hasModules = (version: string): boolean => version.startsWith("3.");

const known = Object.keys(MODULES);
const modules: JsonSchema = {
  type: "object",
  description: "What the app has to do with each module of the product; common holds what belongs to none.",
  properties: Object.fromEntries(known.map((name) => [name, moduleSchema(name)])),
  additionalProperties: moduleSchema(undefined),
};

const byModule = described(
  {
    ...plain(Manifest),
    properties: { ...propertiesOf(plain(Manifest)), "platform-version": versions(hasModules), modules },
  },
  SENTENCES,
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
    ...SENTENCES,
    product: "What the app has to do with each product.",
    "whitelisted-domains": "Up to 2.2: addresses that requests may reach, such as https://*.example.com.",
  },
);

/** `manifest.json`: with modules from 3.0 on, with products before. */
export const manifestSchema = (): JsonSchema =>
  fileSchema("manifest.json", {
    type: "object",
    required: ["platform-version"],
    properties: { "platform-version": { ...versions(() => true), description: SENTENCES["platform-version"] } },
    if: { properties: { "platform-version": versions(hasModules) } },
    then: byModule,
    else: byProduct,
  });
