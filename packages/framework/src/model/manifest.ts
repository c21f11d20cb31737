import {
  memberOf,
  matchesSchema,
  Manifest,
  schemaErrors,
  PLATFORM_VERSIONS,
  ProductManifest,
  type AppModule,
  type PlatformVersion,
  CHAT_PRODUCT,
  MODULES,
  PLACES_OF_2_X,
  PRODUCT_EVENTS,
} from "@parley/contract";
import { declaredHosts } from "./templates/whitelist.ts";
import { withFix, type Finding, type FindingWithPath, type JsonEdit } from "./finding.ts";
import { misfitPath, misfitMessage } from "./json.ts";
import { createFinding } from "./rules.ts";
import { schemaFix } from "./schema-fix.ts";
import { misspeltMembers } from "./similar-name.ts";

type Part<Name extends keyof AppModule> = NonNullable<AppModule[Name]>;

const COMMON_MODULE = "common";
const chatModules = Object.entries(MODULES).filter(([name]) => name !== COMMON_MODULE);
const isCommon = (kind: "places" | "events", name: string) => MODULES[COMMON_MODULE]?.[kind].includes(name) ?? false;

/** -> the module of a place; for another product, the product's name */
const moduleOfPlace = (product: string, place: string): string => {
  if (isCommon("places", place)) return COMMON_MODULE;
  if (product !== CHAT_PRODUCT) return product;
  const moduleName = Object.hasOwn(PLACES_OF_2_X, place) ? PLACES_OF_2_X[place] : undefined;
  return moduleName ?? chatModules.find(([, { places }]) => places.includes(place))?.[0] ?? "chat_conversation";
};

export const moduleOfEvent = (product: string, event: string): string => {
  if (isCommon("events", event)) return COMMON_MODULE;
  if (product !== CHAT_PRODUCT) return product;
  const moduleName = Object.values(PRODUCT_EVENTS).find(({ name }) => name === event)?.module;
  return moduleName ?? chatModules.find(([, { events }]) => events.includes(event))?.[0] ?? "chat_conversation";
};

/** Whether 2.x has this place for the product. Every place of another product is accepted. */
export const isProductPlace = (product: string, place: string): boolean =>
  product !== CHAT_PRODUCT ||
  Object.hasOwn(PLACES_OF_2_X, place) ||
  Object.values(MODULES).some(({ places }) => places.includes(place));

export const isProductEvent = (product: string, event: string): boolean =>
  product !== CHAT_PRODUCT || Object.values(MODULES).some(({ events }) => events.includes(event));

/** Modules under construction. Maps are used because names come from the author. */
type ModulesBuilder = Map<string, { -readonly [Name in keyof AppModule]?: Map<string, never> }>;

const partOf = (modules: ModulesBuilder, module: string, name: keyof AppModule): Map<string, never> => {
  const parts = modules.get(module) ?? {};
  modules.set(module, parts);
  return (parts[name] ??= new Map<string, never>());
};

/** The chat product comes first, so that its declarations take precedence. */
const chatProductFirst = (products: Readonly<Record<string, AppModule>>) =>
  Object.entries(products).sort(([a], [b]) => Number(b === CHAT_PRODUCT) - Number(a === CHAT_PRODUCT));

/**
 * Converts products of 2.x to modules.
 * @assumed If several products declare the same set-up, external or scheduled event, the handler of the first one is called.
 */
const modulesOf = (
  products: Readonly<Record<string, AppModule>>,
): { modules: Manifest["modules"]; findings: readonly FindingWithPath[] } => {
  const modules: ModulesBuilder = new Map([[COMMON_MODULE, {}]]);
  const findings: FindingWithPath[] = [];
  for (const [product, { location = {}, events = {}, functions = {}, jobs = {}, requests = {} }] of chatProductFirst(
    products,
  )) {
    if (product !== CHAT_PRODUCT) modules.set(product, modules.get(product) ?? {});
    const put = (module: string, name: keyof AppModule, member: string, value: unknown) => {
      const part = partOf(modules, module, name);
      if (!part.has(member)) part.set(member, value as never);
    };
    for (const [place, value] of Object.entries(location)) put(moduleOfPlace(product, place), "location", place, value);
    for (const [event, value] of Object.entries(events)) {
      const module = moduleOfEvent(product, event);
      const before = modules.get(module)?.events?.get(event) as Part<"events">[string] | undefined;
      if (before && before.handler !== value.handler)
        findings.push(
          createFinding(
            "event-twice",
            "manifest.json",
            { event, handler: before.handler, other: value.handler },
            { at: ["product", product, "events", event] },
          ),
        );
      put(module, "events", event, value);
    }
    for (const [name, value] of Object.entries(functions)) put(COMMON_MODULE, "functions", name, value);
    for (const [name, value] of Object.entries(jobs)) put(COMMON_MODULE, "jobs", name, value);
    for (const [name, value] of Object.entries(requests)) put(COMMON_MODULE, "requests", name, value);
  }
  const plain = [...modules].map(([name, parts]) => [
    name,
    Object.fromEntries(Object.entries(parts).map(([part, members]) => [part, Object.fromEntries(members)])),
  ]);
  return { modules: Object.fromEntries(plain) as Manifest["modules"], findings };
};

export const MANIFEST_FILE = "manifest.json";

/** A part of the manifest as its author wrote it: a module of 3.x or a product of 2.x. */
export interface ManifestSection {
  readonly kind: "modules" | "product";
  readonly name: string;
  readonly body: AppModule;
}

export interface ManifestRead {
  /** In the normal form, with modules. */
  readonly manifest: Manifest;
  readonly version: PlatformVersion;
  readonly sections: readonly ManifestSection[];
  readonly whitelistedDomains?: readonly string[];
  readonly declaredHosts: readonly string[];
  readonly findings: readonly FindingWithPath[];
}

type Reader = (json: unknown, version: PlatformVersion) => ManifestRead | { readonly findings: readonly Finding[] };

const shapeFindings = (schema: Parameters<typeof schemaErrors>[0], json: unknown): FindingWithPath[] =>
  schemaErrors(schema, json).map((misfit) =>
    createFinding(
      "manifest-shape",
      MANIFEST_FILE,
      { place: misfit.pointer, text: misfitMessage(misfit) },
      { at: misfitPath(misfit), ...withFix(schemaFix(schema, json, misfit)) },
    ),
  );

const sectionsIn = (kind: ManifestSection["kind"], bodies: Readonly<Record<string, AppModule>>): ManifestSection[] =>
  Object.entries(bodies).map(([name, body]) => ({ kind, name, body }));

const hostsIn = (json: object): Pick<ManifestRead, "declaredHosts"> => {
  const entries: unknown = Reflect.get(json, "whitelisted-domains");
  return { declaredHosts: declaredHosts(Array.isArray(entries) ? entries : []) };
};

/** Reads a manifest with modules, which already has the normal form. */
const readModules: Reader = (json, version) =>
  matchesSchema(Manifest, json)
    ? { manifest: json, version, sections: sectionsIn("modules", json.modules), ...hostsIn(json), findings: [] }
    : { findings: shapeFindings(Manifest, json) };

/** Reads a manifest with products, and converts them to modules. */
const readProducts: Reader = (json, version) => {
  if (!matchesSchema(ProductManifest, json)) return { findings: shapeFindings(ProductManifest, json) };
  const { product, "whitelisted-domains": domains, ...rest } = json;
  const { modules, findings } = modulesOf(product);
  return {
    manifest: { ...rest, modules },
    version,
    sections: sectionsIn("product", product),
    ...(version < "2.3" ? { whitelistedDomains: domains ?? [] } : {}),
    ...hostsIn(json),
    findings,
  };
};

const readerOf = (version: PlatformVersion): Reader => (version < "3" ? readProducts : readModules);

/** A version as a number or with a prefix, or a misspelt key. */
const versionFix = (json: unknown, declared: unknown): JsonEdit[] => {
  if (declared === undefined)
    return misspeltMembers(Object.keys(json ?? {}), Object.keys(Manifest.properties))
      .filter(({ meant }) => meant === "platform-version")
      .map(({ name, meant }) => ({ kind: "rename", at: [name], name: meant }));
  const number = typeof declared === "string" ? Number(declared.trim().replace(/^v/i, "") || Number.NaN) : declared;
  const meant = PLATFORM_VERSIONS.find((known) => Number(known) === number);
  return meant === undefined ? [] : [{ kind: "set", at: ["platform-version"], value: meant }];
};

/** Reads a manifest of any supported version. */
export const readAppManifest: (json: unknown) => ReturnType<Reader> = (json) => {
  const declaredVersion: unknown = memberOf(json, "platform-version");
  const version = PLATFORM_VERSIONS.find((known) => known === declaredVersion);
  if (version !== undefined) return readerOf(version)(json, version);
  const help = `"platform-version" must be one of: ${PLATFORM_VERSIONS.join(", ")}.`;
  const detail = { help, at: ["platform-version"], ...withFix(versionFix(json, declaredVersion)) };
  return { findings: [createFinding("manifest-version", MANIFEST_FILE, {}, detail)] };
};
