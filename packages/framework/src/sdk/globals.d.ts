import type { App, PageUtils } from "./client.d.ts";
import type { Credentials, JobAtWork, KeyValueStore, RenderedError, RequestMethod, Schedules } from "./server.d.ts";

/** What the framework gives to an app's code: types for its author, and the globals of server/, app/ and config/assets/. */

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
  /** In `server/`: requests. */
  const $request: RequestMethod;
  /** In `server/`: the installation's own records. */
  const $db: KeyValueStore;
  /** In `server/`: which accounts the app is authorised for. */
  const $credentials: Credentials;
  /** In the function of a job. */
  const $job: JobAtWork;
  /** In `server/`: calls at a time to come. */
  const $schedule: Schedules;
  /**
   * In `server/`: an address of its own for each installation; what is sent there raises onExternalEvent. It stays the same until it is
   * renewed: then the one before is known no more.
   */
  function generateTargetUrl(options?: { readonly renew?: boolean }): Promise<string>;
  /** In `server/`: ends a set-up event or a function; an error stops the one and fails the other. */
  function renderData(error?: RenderedError | null, data?: unknown): void;
  /** In `app/` and `config/assets/`. */
  const app: App;
  /** In `config/assets/`. */
  const utils: PageUtils;
}
