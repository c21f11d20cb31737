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

/** One verb of platform-versions up to 2.2; addresses must match the manifest's whitelisted-domains. */
export type RequestVerb = (url: string, options?: FetchOptions) => Promise<FetchReply>;

/** Requests, in server/, in app/ and in config/assets/. */
export interface RequestMethod {
  /** By a template of config/requests.json. @errors RequestFailure, for an answer of 400 and above and for a request that could not be made */
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

/** The installation's own records. Keys have at most 60 characters; a key and its value together 40 KB. */
export interface KeyValueStore {
  /** @errors "The setIf conditional request failed" */
  set(key: string, value: object, options?: SetOptions): Promise<{ readonly Created: true }>;
  /** @errors 404 "Record not found" */
  get(key: string): Promise<Readonly<Record<string, unknown>>>;
  /**
   * Changes attributes of a record; all actions but `remove` store one that is absent. `set` takes a name with dots for a path to a nested attribute.
   * @errors 404 "Record not found", of `remove`
   */
  update(
    key: string,
    action: "increment" | "append" | "set" | "remove",
    attributes: object | readonly string[],
  ): Promise<{ readonly Updated: true }>;
  delete(key: string): Promise<{ readonly Deleted: true }>;
  /** Records of the shapes that config/entities.json declares. */
  entity(options: { readonly version: "v1" }): EntityStorage;
}

export interface EntityStorage {
  get(entity: string): EntityReference;
}

/** One entity. @errors 400 "Invalid input field" with the fields that are wrong; 404 "Record not found" */
export interface EntityReference {
  schema(): Promise<EntitySchema>;
  create(data: object): Promise<{ readonly record: EntityRecord }>;
  get(displayId: string): Promise<{ readonly record: EntityRecord }>;
  /** At most 100 of them, the oldest first; `links.next.marker` leads to more. A query names filterable fields, `$or` and `$and`. */
  getAll(options?: { readonly query?: object; readonly next?: { readonly marker: string } }): Promise<EntityPage>;
  /** Fields that aren't given keep their values. */
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

/** Calls of onScheduledEvent at a time to come. @errors 404 "Schedule does not exist" */
export interface Schedules {
  create(schedule: Schedule): Promise<ScheduleReply>;
  fetch(schedule: Pick<Schedule, "name">): Promise<Schedule>;
  update(schedule: Pick<Schedule, "name"> & Partial<Schedule>): Promise<ScheduleReply>;
  delete(schedule: Pick<Schedule, "name">): Promise<ScheduleReply>;
}

/** The accounts that the app is authorised for: `$credentials.oauth({ version: "v1" }).get({ oauthName })`. */
export interface Credentials {
  oauth(options: { readonly version: "v1" }): {
    /** @errors 404 for a name that config/oauth_config.json does not have */
    get(of: {
      readonly oauthName: string;
    }): Promise<{ readonly results: readonly { readonly account_name: string }[] }>;
  };
}

/** The job at work, in the function of a job. */
export interface JobAtWork {
  /** What `client.job.get` shows as `status_message`. @errors 400 outside of a job */
  updateStatusMessage(message: string): Promise<unknown>;
  /** @errors 404 "Job not found" */
  get(id: string): Promise<Job>;
}

/** What a handler ends with instead of data. @shape status: of a function that fails; message: at most 60 characters where it stops a set-up */
export interface RenderedError {
  readonly status?: number;
  readonly message: string;
}
