import type { ProductEventName, EventData } from "../api/events.ts";
import type { IparamValues } from "./iparams.ts";
import type { SetUpEvent } from "./manifest.ts";

/** The account of an event, as an app sees it. */
export interface CurrentHost {
  /** Module names of the manifest. */
  readonly subscribed_modules: readonly string[];
  /** The account's address by product. */
  readonly endpoint_urls: Readonly<Record<string, string>>;
}

interface Payload {
  readonly domain: string;
  /** @units epoch ms */
  readonly timestamp: number;
  readonly version: string;
  /** Installation parameters without secure parameters. */
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

/** Argument of a handler of a set-up event. @assumed account and region are present if the host knows them */
export interface SetUpPayload extends Payload {
  readonly event: SetUpEvent;
  readonly account_id?: number;
  readonly region?: string;
  readonly data: Readonly<Record<string, never>>;
}

/** Argument of `onExternalEvent`. @shape data: the parsed body: JSON, the fields of a form, or XML as text */
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

/** Argument of a function: the caller's arguments, with the parameters. */
export type FunctionPayload = Readonly<Record<string, unknown>> & Pick<Payload, "iparams" | "currentHost">;
