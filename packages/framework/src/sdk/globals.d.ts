import type { App, PageUtils } from "./client.d.ts";
import type { Credentials, JobAtWork, KeyValueStore, RenderedError, RequestMethod, Schedules } from "./server.d.ts";

/** Types for app developers, and the globals of `server/`, `app/` and `config/assets/`. */

export type {
  CurrentHost,
  EventPayload,
  ExternalPayload,
  FunctionPayload,
  IparamAttributes,
  IparamValue,
  IparamValues,
  RequestFailure,
  RequestOptions,
  RequestReply,
  ScheduledPayload,
  SetUpPayload,
} from "@parley/contract";
export type * from "./client.d.ts";
export type * from "./events.d.ts";
export type * from "./server.d.ts";

declare global {
  /** In `server/`: sends HTTP requests. */
  const $request: RequestMethod;
  /** In `server/`: records of the installation. */
  const $db: KeyValueStore;
  /** In `server/`: lists the accounts that the app is authorised for. */
  const $credentials: Credentials;
  /** In the function of a job: status and progress of jobs. */
  const $job: JobAtWork;
  /** In `server/`: schedules calls of `onScheduledEvent`. */
  const $schedule: Schedules;
  /**
   * In `server/`: returns the webhook URL of this installation. A request to it raises `onExternalEvent`. The URL stays the same until it is
   * renewed with `renew: true`; the previous URL then stops working.
   */
  function generateTargetUrl(options?: { readonly renew?: boolean }): Promise<string>;
  /** In `server/`: ends a set-up event or a function call. An error cancels the set-up, or makes the function call fail. */
  function renderData(error?: RenderedError | null, data?: unknown): void;
  /** In `app/` and `config/assets/`: access to the client. */
  const app: App;
  /** In `config/assets/`: access to the form fields. */
  const utils: PageUtils;
}
