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

/** `client.data.get(name)` in app/, by name. */
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

/** Another page of app/ on top of this one; `data` is what its `client.instance.context()` gives. */
export interface DialogOptions {
  readonly title: string;
  readonly template: string;
  readonly data?: unknown;
  readonly noBackdrop?: boolean;
}

interface ElementOptions {
  readonly id: string;
}

/** `client.interface.trigger(name, options)`: what each name takes. */
export interface InterfaceActions {
  showNotify: {
    readonly type: "info" | "success" | "warning" | "danger" | "alert";
    readonly title?: string;
    readonly message: string;
  };
  showModal: DialogOptions;
  showDialog: DialogOptions;
  /** Resolves with the label that was chosen as `message`. */
  showConfirm: {
    readonly title?: string;
    readonly message: string;
    readonly saveLabel?: string;
    readonly cancelLabel?: string;
  };
  setValue: ElementOptions & ({ readonly text: string } | { readonly value: string });
  /** `conversation` is clicked by the id that `value` holds. */
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

/** What a listener is told; `helper` decides about an action that is intercepted. */
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

/** The frame that this page stands in. @units height: CSS pixels */
export interface ClientInstance {
  resize(size: { readonly height: number | string }): Promise<unknown>;
  close(): Promise<unknown>;
  context(): Promise<unknown>;
  get(): Promise<unknown>;
  send(message: { readonly message: unknown; readonly receiver?: string | readonly string[] }): Promise<unknown>;
  receive(listener: (event: ClientEvent) => unknown): void;
}

/** @errors for an unknown key, and for a secure one */
export interface ClientIparams {
  get(): Promise<Readonly<Record<string, IparamValue>>>;
  get(key: string): Promise<Readonly<Record<string, IparamValue>>>;
}

/** What `app.initialized()` resolves to on the installation page: no records, no interface, no frame of its own. */
export interface PageClient {
  readonly context: { readonly product?: string };
  readonly request: RequestMethod;
  readonly iparams: ClientIparams;
  readonly data: { get(name: "currentHost"): Promise<{ readonly currentHost: CurrentHost }> };
}

/** What `app.initialized()` resolves to in app/. */
export interface Client extends PageClient {
  readonly data: {
    get<Name extends keyof ClientData>(name: Name): Promise<{ readonly [Key in Name]: ClientData[Key] }>;
  };
  readonly request: RequestMethod & {
    /** Calls a function of server/ that the manifest names. */
    invoke(name: string, args?: object): Promise<{ readonly requestID: string; readonly response: unknown }>;
  };
  readonly db: KeyValueStore;
  readonly job: {
    /** Begins a job that the manifest names. @errors 404; 429 while fifteen are at work */
    invoke(name: string, tag: string, args?: object): Promise<Job>;
    /** @errors 404 "Job not found" */
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

/** One word for two places: a file of config/assets/ takes the client as `PageClient`, since the rest isn't there. */
export interface App {
  initialized(): Promise<Client>;
}

/** On the installation page: its fields, by the key of their parameter. */
export interface PageUtils {
  get(key: string): IparamValue | undefined;
  set(key: string, attributes: IparamAttributes): void;
}
