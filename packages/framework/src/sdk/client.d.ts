import type {
  Agent,
  Conversation,
  CurrentHost,
  IparamAttributes,
  IparamValue,
  Job,
  Message,
  User,
} from "@parley/contract";
import type { KeyValueStore, RequestMethod } from "./server.d.ts";

/** Result of `client.data.get(name)`, by name. */
export interface ClientData {
  loggedInAgent: Agent;
  loggedInUser: Agent;
  agent: Agent;
  user: User;
  conversation: Conversation & {
    readonly messages: readonly Message[];
    readonly users: readonly User[];
    readonly agents: readonly Agent[];
  };
  currentHost: CurrentHost;
  domainName: string;
}

/** Options of a dialog that shows another page of `app/`. The page reads `data` from `client.instance.context()`. */
export interface DialogOptions {
  readonly title: string;
  readonly template: string;
  readonly data?: unknown;
  readonly noBackdrop?: boolean;
}

interface ElementOptions {
  readonly id: string;
}

/** Options of `client.interface.trigger(name, options)`, by action. */
export interface InterfaceActions {
  showNotify: {
    readonly type: "info" | "success" | "warning" | "danger" | "alert";
    readonly title?: string;
    readonly message: string;
  };
  showModal: DialogOptions;
  showDialog: DialogOptions;
  /** Resolves with the label of the clicked button as `message`. */
  showConfirm: {
    readonly title?: string;
    readonly message: string;
    readonly saveLabel?: string;
    readonly cancelLabel?: string;
  };
  setValue: ElementOptions & ({ readonly text: string } | { readonly value: string });
  /** With `id: "conversation"`, opens the conversation whose id is in `value`. */
  click: ElementOptions & { readonly value?: string };
  hide: ElementOptions;
  hideElement: ElementOptions;
  show: ElementOptions;
  showElement: ElementOptions;
  enable: ElementOptions;
  enableElement: ElementOptions;
  disable: ElementOptions;
  disableElement: ElementOptions;
}

/** Argument of an event listener. `helper.done()` and `helper.fail(reason)` let an intercepted action continue or stop it. */
export interface ClientEvent {
  readonly type: string;
  readonly data: unknown;
  readonly helper: { getData(): unknown; done(): void; fail(reason?: string): void };
}

export interface ClientEvents {
  on(
    name: "app.activated" | "app.deactivated" | (string & {}),
    listener: (event: ClientEvent) => unknown,
    options?: { readonly intercept?: boolean },
  ): void;
  off(name: string, listener: (event: ClientEvent) => unknown): void;
}

/** The frame of this page. @units height: CSS pixels */
export interface ClientInstance {
  resize(size: { readonly height: number | string }): Promise<unknown>;
  close(): Promise<unknown>;
  context(): Promise<unknown>;
  get(): Promise<unknown>;
  send(message: { readonly message: unknown; readonly receiver?: string | readonly string[] }): Promise<unknown>;
  receive(listener: (event: ClientEvent) => unknown): void;
}

/**
 * Installation parameters without secure parameters. `get(key)` returns the parameter under its key.
 * @errors for an unknown key and for the key of a secure parameter
 */
export interface ClientIparams {
  get(): Promise<Readonly<Record<string, IparamValue>>>;
  get(key: string): Promise<Readonly<Record<string, IparamValue>>>;
}

/**
 * Type of the client that `app.initialized()` resolves to on an installation page (`config/assets/`). It is a type to import, like all types here:
 * `import type { PageClient } from "@parley/framework/sdk"`, or `@type {import("@parley/framework/sdk").PageClient}` in JavaScript. Records, interface
 * actions and frames are not available there.
 */
export interface PageClient {
  readonly context: { readonly product?: string };
  readonly request: RequestMethod;
  readonly iparams: ClientIparams;
  readonly data: { get(name: "currentHost"): Promise<{ readonly currentHost: CurrentHost }> };
}

/** Client of a page of `app/`: `app.initialized()` resolves to it. */
export interface Client extends PageClient {
  readonly data: {
    get<Name extends keyof ClientData>(name: Name): Promise<{ readonly [Key in Name]: ClientData[Key] }>;
  };
  readonly request: RequestMethod & {
    /** Calls a function of `server/` that the manifest declares. */
    invoke(name: string, args?: object): Promise<{ readonly requestID: string; readonly response: unknown }>;
  };
  readonly db: KeyValueStore;
  readonly job: {
    /** Starts a job that the manifest declares. @errors 404 for an undeclared job; 429 while fifteen jobs are running */
    invoke(name: string, tag: string, args?: object): Promise<Job>;
    /** Returns the state of a job. @errors 404 "Job not found" */
    get(id: string): Promise<Job>;
  };
  readonly interface: {
    trigger<Name extends keyof InterfaceActions>(
      name: Name,
      options: InterfaceActions[Name],
    ): Promise<{ readonly message?: string } & Readonly<Record<string, unknown>>>;
  };
  readonly events: ClientEvents;
  readonly instance: ClientInstance;
}

/**
 * Type of the global `app`, shared by `app/` and `config/assets/`. In `config/assets/`, give the client the type `PageClient`, since the other members of
 * `Client` do not exist there.
 */
export interface App {
  initialized(): Promise<Client>;
}

/** The global `utils` of the installation page: reads and changes form fields by parameter key. */
export interface PageUtils {
  get(key: string): IparamValue | undefined;
  set(key: string, attributes: IparamAttributes): void;
}
