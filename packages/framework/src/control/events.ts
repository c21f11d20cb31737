import { SET_UP_EVENTS, type HandledEvent, type InvocationKind, type PayloadSource } from "@parley/contract";
import type { Installation } from "../install/installations.ts";
import type { Invocations } from "../invocations/invocations.ts";
import type { Project } from "../project/project.ts";
import { payloadOf, sampleOf } from "./samples.ts";
import { testData } from "./test-data.ts";

export interface EventsDeps {
  readonly project: () => Project;
  readonly invocations: Pick<Invocations, "list">;
  readonly now: () => Date;
}

export type Handled = Pick<HandledEvent, "event" | "module" | "handler" | "kind">;

export interface Found {
  readonly source: PayloadSource;
  readonly payload: Readonly<Record<string, unknown>>;
}

const KINDS: Readonly<Record<string, InvocationKind>> = {
  ...Object.fromEntries(SET_UP_EVENTS.map((event) => [event, "set-up" as const])),
  onScheduledEvent: "scheduled",
  onExternalEvent: "external",
};

/** Recorded calls of an event that are looked through for a real one. */
const LOOKED_AT = 100;

/** Every event and function that the app has a handler for. */
export const handledBy = ({ handlers, manifest }: Project): Handled[] => [
  ...handlers.map(({ event, module, handler }) => ({
    event,
    module,
    handler,
    kind: Object.hasOwn(KINDS, event) ? (KINDS[event] ?? "product") : "product",
  })),
  ...Object.keys(manifest.modules["common"]?.functions ?? {}).map((name) => ({
    event: name,
    module: "common",
    handler: name,
    kind: "function" as const,
  })),
];

/**
 * Where the payload of an event comes from that nobody gave: the author's file, the newest real one, a sample.
 * @errors TestDataUnusable
 */
export const payloads =
  ({ project, invocations, now }: EventsDeps) =>
  async ({ event, module, kind }: Handled, at: Pick<Installation, "domain">): Promise<Found> => {
    const written = await testData(project().folder, module, event);
    if (written) return { source: { from: "file", file: written.file }, payload: written.payload };
    const recorded = await invocations.list({ event, kind, limit: LOOKED_AT });
    // What the service told, not what was raised by hand.
    const newest = recorded.findLast(({ source }) => kind !== "product" || source !== undefined);
    if (newest) return { source: { from: "recorded", id: newest.id }, payload: payloadOf(newest) };
    return { source: { from: "sample" }, payload: kind === "function" ? {} : sampleOf(event, now(), at) };
  };
