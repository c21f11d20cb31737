import type {
  CurrentHost,
  EventPayload,
  IparamAttributes,
  IparamValue,
  RequestFailure,
  RequestOptions,
  RequestReply,
  SetUpPayload,
} from "@parley/contract";

/** What the framework gives to an app's code: types for its author, and the globals of `server/` and `config/assets/`. */

export type { EventPayload, RequestFailure, RequestOptions, RequestReply, SetUpPayload };

export interface RequestMethod {
  /** @errors RequestFailure, for an answer of 400 and above and for a request that could not be made */
  invokeTemplate(name: string, options: RequestOptions): Promise<RequestReply>;
}

/** @units ttl: seconds */
export interface SetOptions {
  readonly ttl?: number;
  readonly setIf?: "exist" | "not_exist";
}
/** Keys have at most 60 characters; a key and its value together 40 KB. */
export interface KeyValueStore {
  /** @errors "The setIf conditional request failed" */
  set(key: string, value: object, options?: SetOptions): Promise<{ readonly Created: true }>;
  /** @errors 404 "Record not found" */
  get(key: string): Promise<Readonly<Record<string, unknown>>>;
  update(
    key: string,
    action: "increment" | "append" | "set" | "remove",
    attributes: object | readonly string[],
  ): Promise<{ readonly Updated: true }>;
  delete(key: string): Promise<{ readonly Deleted: true }>;
}

export interface PageUtils {
  get(key: string): IparamValue | undefined;
  set(key: string, attributes: IparamAttributes): void;
}
/** What `app.initialized()` resolves to on the installation page. */
export interface PageClient {
  readonly request: RequestMethod;
  readonly iparams: { get(key?: string): Promise<unknown> };
  readonly data: { get(key: "currentHost"): Promise<{ readonly currentHost: CurrentHost }> };
}
export interface PageApp {
  initialized(): Promise<PageClient>;
}

declare global {
  /** In `server/`: requests, by the templates of config/requests.json. */
  const $request: RequestMethod;
  /** In `server/`: the installation's own records. */
  const $db: KeyValueStore;
  /** In `server/`: ends a set-up event; a message of at most 60 characters blocks it. */
  function renderData(refusal?: { readonly message: string } | null, data?: unknown): void;
  /** In `config/assets/`. */
  const app: PageApp;
  /** In `config/assets/`. */
  const utils: PageUtils;
}
