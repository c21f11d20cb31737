import type { ProductEventName, EventData } from "../api/events.ts";
import type { IparamValues } from "./iparams.ts";
import type { SetUpEvent } from "./manifest.ts";

/** The account that an event comes from, as an app sees it. */
export interface CurrentHost {
  /** Modules of the manifest. */
  readonly subscribed_modules: readonly string[];
  /** The account's address by product. */
  readonly endpoint_urls: Readonly<Record<string, string>>;
}

interface Payload {
  readonly domain: string;
  /** @units epoch ms */
  readonly timestamp: number;
  readonly version: string;
  /** Without secure ones. */
  readonly iparams: IparamValues;
  readonly currentHost: CurrentHost;
}

/** Argument of a handler of a product event. */
export interface EventPayload extends Payload {
  readonly event: ProductEventName;
  readonly account_id: number;
  readonly region: string;
  readonly data: EventData;
}

/** Argument of a handler of the app's own life. @assumed account and region stand in it where the host knows them */
export interface SetUpPayload extends Payload {
  readonly event: SetUpEvent;
  readonly account_id?: number;
  readonly region?: string;
  readonly data: Readonly<Record<string, never>>;
}

/** Argument of `onExternalEvent`. @shape data: what the body held: JSON, the fields of a form, or XML as text */
export interface ExternalPayload extends Payload {
  readonly event: "onExternalEvent";
  readonly account_id?: number;
  readonly region?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: unknown;
}

/** Argument of `onScheduledEvent`. */
export interface ScheduledPayload extends Payload {
  readonly event: "onScheduledEvent";
  readonly account_id?: number;
  readonly region?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Argument of a function: what the caller gave, and the parameters. */
export type FunctionPayload = Readonly<Record<string, unknown>> & Pick<Payload, "iparams" | "currentHost">;
