import type { Database } from "@parley/database";
import type { FaultInjector } from "@parley/egress";
import type { Log, Metrics } from "@parley/telemetry";
import type { RunConsents } from "../../state/consents.ts";
import type { ServiceAccess } from "../../front/service.ts";
import type { IdentityService } from "../../identity/service-admin.ts";
import type { HostPorts } from "../../environment/ports.ts";
import type { KeyPermissions } from "../../package/validate/key-permissions.ts";
import type { Boundary } from "../../sandbox/boundary.ts";
import type { AppOrigin } from "../../sandbox/origin.ts";
import type { HostSettings } from "../../environment/settings.ts";
import type { Installation } from "../../state/installations.ts";
import type { Project } from "../../model/project.ts";
import type { LiveApp } from "../folder-apps/folder-apps.ts";

/** Options of an app's host. */
export interface AppHostOptions {
  /** Folder of the app. */
  readonly folder: string;
  /** Origin of the app's code; "package" when absent. */
  readonly origin?: AppOrigin;
  /** Isolation of the app's code; the strongest that this machine supports when absent. */
  readonly boundary?: Boundary;
  readonly database: Database;
  /** Folder of the key that encrypts secure parameters. */
  readonly dataFolder: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Hosts of local accounts and their origins; the first is the default account. */
  readonly hosts: ReadonlyMap<string, { readonly origin: string }>;
  /** Hosts, complete or `*.suffix`, that are reached at a local origin without TLS. They don't extend the hosts that the app may call. */
  readonly maps?: ReadonlyMap<string, string>;
  /** Injects faults into the app's requests. */
  readonly faults?: FaultInjector;
  /** The part after the account's name in the host of an account. */
  readonly domainSuffix: string;
  /** Consents that are valid while this host runs, in addition to those of an admin. */
  readonly consentsOfRun?: RunConsents;
  /** Secret with which the service signs events; "" while it is unknown. */
  readonly eventSecret: () => string | Promise<string>;
  /** The service whose conversations the host page shows; none when absent. */
  readonly service?: ServiceAccess;
  /** The service that knows the sessions of agents, and whose audit log records changes on the installation page; absent: neither. */
  readonly identity?: IdentityService;
  /** Requires a session of an agent for the pages of this host; needs `identity`. Absent: pages need no sign-in. */
  readonly signIn?: {
    /** Origin of the service's pages in browsers, where agents sign in. */
    readonly serviceOrigin: string;
  };
  /** Origins of the console, whose pages may embed the app; needs `identity`. Absent: no page may. */
  readonly consoleOrigins?: readonly string[];
  /** Also publishes and installs packages, beside the app that is read from the folder; needs `identity`. */
  readonly published?: {
    /** Origin of the service's pages in browsers. */
    readonly serviceOrigin: string;
    /** Scheme and host of all published apps in browsers; a name of this machine when absent. */
    readonly appsUrl?: string;
  };
  /** Apps of other hosts of this process, which the platform of this host lists beside its own. */
  readonly otherLiveApps?: () => readonly LiveApp[];
  /**
   * Issues the key with which the host installs the app if it has a parameter for a key, with the needed permissions. Called at the start,
   * for each version of the app that needs other permissions, and after the data was replaced. The key of `service` when absent.
   */
  readonly appKey?: (app: string, needed: KeyPermissions) => Promise<string>;
  /** Bearer token of the endpoints for the app's author below `/admin`; without it they don't exist. */
  readonly adminKey?: string;
  /** Measures the coverage of the app's handlers and stores it in the app's folder; only where the operating system isolates their code. */
  readonly isCoverageMeasured?: boolean;
  /** -> the number of undelivered events of the service */
  readonly eventsToCome?: () => Promise<number>;
  /** Public origin of the URLs of `generateTargetUrl`, such as that of a tunnel; this machine when absent. */
  readonly publicUrl?: string;
  readonly ports?: HostPorts;
  readonly metrics?: Metrics;
  readonly log?: Log;
  readonly settings?: Partial<HostSettings>;
}

/** @shape errors: by key of the parameter */
export type InstallOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly errors: Record<string, string>; readonly message?: string };

/** The server of one app: its installation page, its events and its code. */
export interface AppHost {
  readonly url: string;
  readonly port: number;
  /** The last valid version of the app. */
  readonly project: () => Project;
  /** The app as the platform of another host lists it. */
  readonly liveApp: () => LiveApp;
  readonly installation: () => Promise<Installation | undefined>;
  /** Installs the app or changes its parameters, like the page. */
  install(values: Readonly<Record<string, unknown>>): Promise<InstallOutcome>;
  /** Like `install`; the address and key of the local account are filled in for parameters that take them. */
  installOnOwn(iparams?: Readonly<Record<string, unknown>>): Promise<InstallOutcome>;
  /** Calls onAppUninstall and removes the app's data on its account; has no effect when the app is not installed. */
  uninstall(): Promise<void>;
  /** Stops background work, waits up to two seconds for calls in progress, and holds requests until `resume`, so that the data can be replaced. */
  pause(): Promise<void>;
  /** Continues with the present data. */
  resume(): Promise<void>;
  close(): Promise<void>;
}
