import { CHAT_PRODUCT, MODULES, PLACES_OF_2_X, PRODUCT_EVENTS, type AppModule, type Manifest } from "@parley/contract";
import type { FindingWithPath } from "./finding.ts";
import { createFinding } from "./rules.ts";

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
export const modulesOf = (
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
