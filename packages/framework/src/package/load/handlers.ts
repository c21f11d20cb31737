import type { AppModule, DeclaredEvent, Manifest } from "@parley/contract";
import { withFix, type FindingWithPath, type JsonEdit, type JsonPath } from "../../model/finding.ts";
import { MANIFEST_FILE, type ManifestRead, isProductEvent, moduleOfEvent } from "../../model/manifest.ts";
import type { HandlerBinding } from "../../model/project.ts";
import { createFinding } from "../../model/rules.ts";
import { sameNameInOtherCase } from "../../model/similar-name.ts";

/** Declarations in the code of server/, as found by running it. */
export interface ServerExports {
  /** Names of exported functions. */
  readonly handlers: readonly string[];
  /** Events that the code declares, as in apps of 2.0. */
  readonly events?: readonly DeclaredEvent[];
}

const withEvent = (manifest: Manifest, module: string, event: string, handler: string): Manifest => {
  const body: AppModule = Object.hasOwn(manifest.modules, module) ? (manifest.modules[module] ?? {}) : {};
  const events = { ...body.events, [event]: { handler } };
  return { ...manifest, modules: { ...manifest.modules, [module]: { ...body, events } } };
};

const hasEvent = (manifest: Manifest, event: string) =>
  Object.values(manifest.modules).some(({ events = {} }) => Object.hasOwn(events, event));

/**
 * Adds the events and functions that the code declares to the manifest.
 * @assumed An app of 2.x may declare events in its code in addition to those of the manifest. In an app up to 2.2, every export that is not
 *   the handler of an event is a function; the manifest sets its timeout.
 */
export const withImplicitHandlers = (read: ManifestRead, { handlers, events = [] }: ServerExports): ManifestRead => {
  if (read.version >= "3") return read;
  const products = read.sections.map(({ name }) => name);
  let { manifest } = read;
  const findings = [...read.findings];
  for (const { event, callback } of events) {
    const product = products.find((name) => isProductEvent(name, event));
    if (product === undefined) findings.push(createFinding("event", "server", { event, module: products.join(", ") }));
    else if (!hasEvent(manifest, event)) manifest = withEvent(manifest, moduleOfEvent(product, event), event, callback);
  }
  const common = manifest.modules["common"] ?? {};
  if (read.version < "2.3") {
    const called = new Set(eventHandlers(manifest).map(({ handler }) => handler));
    const exported = Object.fromEntries(handlers.filter((name) => !called.has(name)).map((name) => [name, {}]));
    const functions = { ...exported, ...common.functions };
    manifest = { ...manifest, modules: { ...manifest.modules, common: { ...common, functions } } };
  }
  return { ...read, manifest, findings };
};

export const eventHandlers = (manifest: Manifest): HandlerBinding[] =>
  Object.entries(manifest.modules).flatMap(([module, { events = {} }]) =>
    Object.entries(events).map(([event, { handler }]) => ({ module, event, handler })),
  );

const placeOf = (
  { sections }: ManifestRead,
  part: "events" | "functions" | "jobs",
  name: string,
): JsonPath | undefined => {
  const section = sections.find(({ body }) => body[part] && Object.hasOwn(body[part], name));
  return section && [section.kind, section.name, part, name];
};

/** Findings for handlers and functions that the manifest names and the code does not export. */
export const handlerRules = (read: ManifestRead, defined: ReadonlySet<string>): FindingWithPath[] => {
  return [
    ...eventHandlers(read.manifest)
      .filter(({ handler }) => !defined.has(handler))
      .map(({ event, handler }) => {
        const at = placeOf(read, "events", event);
        const help = `Export it from server/ to handle ${event}.`;
        const meant = at && sameNameInOtherCase(handler, [...defined]);
        const fix: JsonEdit[] =
          at === undefined || meant === undefined ? [] : [{ kind: "set", at: [...at, "handler"], value: meant }];
        // An event without a place in the manifest is declared in the code.
        return createFinding(
          "handler",
          at ? MANIFEST_FILE : "server",
          { handler },
          { help, ...(at && { at }), ...withFix(fix) },
        );
      }),
    ...(["functions", "jobs"] as const).flatMap((part) =>
      Object.keys(read.manifest.modules["common"]?.[part] ?? {})
        .filter((name) => !defined.has(name))
        .map((name) => createFinding("function", MANIFEST_FILE, { name }, { at: placeOf(read, part, name) ?? [] })),
    ),
  ];
};
