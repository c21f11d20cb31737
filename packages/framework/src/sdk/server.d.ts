import type {
  EntityField,
  EntityRecord,
  FetchOptions,
  FetchReply,
  Job,
  RequestOptions,
  RequestReply,
  Schedule,
  ScheduleReply,
} from "@parley/contract";

/** Request method of platform versions up to 2.2. The URL must match an entry of `whitelisted-domains` in the manifest. */
export type RequestVerb = (url: string, options?: FetchOptions) => Promise<FetchReply>;

/** Sends HTTP requests, in `server/`, `app/` and `config/assets/`. */
export interface RequestMethod {
  /** Sends a request template of `config/requests.json`. @errors RequestFailure, for a response of 400 and above and for a request that could not be sent */
  invokeTemplate(name: string, options?: RequestOptions): Promise<RequestReply>;
  get: RequestVerb;
  post: RequestVerb;
  put: RequestVerb;
  patch: RequestVerb;
  delete: RequestVerb;
}

/** @units ttl: seconds */
export interface SetOptions {
  readonly ttl?: number;
  readonly setIf?: "exist" | "not_exist";
}

/** Records of the installation. A key has at most 60 characters; a key and its value together have at most 40 KB. */
export interface KeyValueStore {
  /** Stores a record. @errors "The setIf conditional request failed" */
  set(key: string, value: object, options?: SetOptions): Promise<{ readonly Created: true }>;
  /** Returns a record. @errors 404 "Record not found" */
  get(key: string): Promise<Readonly<Record<string, unknown>>>;
  /**
   * Changes attributes of a record. All actions except `remove` create an absent record. For `set`, a name with dots is the path of a nested attribute.
   * @errors 404 "Record not found", for `remove`
   */
  update(
    key: string,
    action: "increment" | "append" | "set" | "remove",
    attributes: object | readonly string[],
  ): Promise<{ readonly Updated: true }>;
  delete(key: string): Promise<{ readonly Deleted: true }>;
  /** Records of the entities that `config/entities.json` declares. */
  entity(options: { readonly version: "v1" }): EntityStorage;
}

export interface EntityStorage {
  get(entity: string): EntityReference;
}

/** Records of one entity. @errors 400 "Invalid input field" with a list of the invalid fields; 404 "Record not found" */
export interface EntityReference {
  schema(): Promise<EntitySchema>;
  create(data: object): Promise<{ readonly record: EntityRecord }>;
  get(displayId: string): Promise<{ readonly record: EntityRecord }>;
  /** Returns at most 100 records, the oldest first. `links.next.marker` is the marker of the next page. A query contains filterable fields, `$or` and `$and`. */
  getAll(options?: { readonly query?: object; readonly next?: { readonly marker: string } }): Promise<EntityPage>;
  /** Fields that are not given keep their values. */
  update(displayId: string, data: object): Promise<{ readonly record: EntityRecord }>;
  delete(displayId: string): Promise<object>;
}

export interface EntitySchema {
  readonly id: number;
  readonly name: string;
  readonly prefix: string;
  readonly fields: readonly EntityField[];
}

export interface EntityPage {
  readonly records: readonly EntityRecord[];
  readonly links: { readonly next?: { readonly marker: string } };
}

/** Schedules calls of `onScheduledEvent`. @errors 404 "Schedule does not exist" */
export interface Schedules {
  create(schedule: Schedule): Promise<ScheduleReply>;
  fetch(schedule: Pick<Schedule, "name">): Promise<Schedule>;
  update(schedule: Pick<Schedule, "name"> & Partial<Schedule>): Promise<ScheduleReply>;
  delete(schedule: Pick<Schedule, "name">): Promise<ScheduleReply>;
}

/** The accounts that the app is authorised for: `$credentials.oauth({ version: "v1" }).get({ oauthName })`. */
export interface Credentials {
  oauth(options: { readonly version: "v1" }): {
    /** @errors 404 for a name that `config/oauth_config.json` does not contain */
    get(of: {
      readonly oauthName: string;
    }): Promise<{ readonly results: readonly { readonly account_name: string }[] }>;
  };
}

/** The running job, in the function of a job. */
export interface JobAtWork {
  /** Sets `status_message` in the result of `client.job.get`. @errors 400 outside of a job */
  updateStatusMessage(message: string): Promise<unknown>;
  /** Returns the state of a job. @errors 404 "Job not found" */
  get(id: string): Promise<Job>;
}

/** Error that ends a handler. @shape status: of a function call that fails; message: at most 60 characters where it stops a set-up event */
export interface RenderedError {
  readonly status?: number;
  readonly message: string;
}
