import type { Database } from "@parley/database";
import type { FaultInjector } from "@parley/egress";
import type { RunConsents } from "../installation/consents.ts";
import type { ServiceAccess } from "../front/service.ts";
import type { HostPorts } from "../environment/ports.ts";
import type { KeyPermissions } from "../request/key-permissions.ts";
import type { Boundary } from "../sandbox/boundary.ts";
import type { AppOrigin } from "../sandbox/origin.ts";
import type { HostSettings } from "../environment/settings.ts";

/** What an app's host is started with. */
export interface AppHostOptions {
  /** Folder of the app. */
  readonly folder: string;
  /** Who answers for its code; "package" when absent. */
  readonly origin?: AppOrigin;
  /** What keeps its code; the strongest that this machine has when absent. */
  readonly boundary?: Boundary;
  readonly database: Database;
  /** Holds the key of the secure parameters, in a file of its own. */
  readonly dataFolder: string;
  /** 0: any free one. */
  readonly port: number;
  /** Hosts of local accounts and where they really are; the first is the usual one. */
  readonly hosts: ReadonlyMap<string, { readonly origin: string }>;
  /** Hosts, whole or `*.suffix`, that are reached at a local origin, without TLS; what the app may reach stays the same. */
  readonly maps?: ReadonlyMap<string, string>;
  /** Lets requests of the app go wrong. */
  readonly faults?: FaultInjector;
  /** What follows the account's name in such a host. */
  readonly domainSuffix: string;
  /** Consents that hold while this host runs, besides those that an admin gives. */
  readonly consentsOfRun?: RunConsents;
  /** What the service signs events with; "" while it isn't known. */
  readonly eventSecret: () => string | Promise<string>;
  /** The live service whose conversations the host page shows; without it the page shows sample data. */
  readonly service?: ServiceAccess;
  /**
   * The key that the app is installed with by itself where it has a parameter for one, made to allow what is needed: asked for at the
   * start, with each version of the app that needs something else, and after the data was exchanged. That of `service` when absent.
   */
  readonly appKey?: (app: string, needed: KeyPermissions) => Promise<string>;
  /** Opens what only the app's author may ask, below `/admin`, which is not there when it is absent. */
  readonly adminKey?: string;
  /** Counts what the app's handlers run, and keeps it in the app's folder; only where the operating system isolates their code. */
  readonly isCoverageMeasured?: boolean;
  /** Serves the page at `/web/test` on which the app's author raises events by hand. */
  readonly hasSimulationPage?: boolean;
  /** -> how many events of the service are still to come. */
  readonly eventsToCome?: () => Promise<number>;
  /** Where others reach this host's addresses of `generateTargetUrl`, as a tunnel has it; this machine otherwise. */
  readonly publicUrl?: string;
  readonly ports?: HostPorts;
  readonly log?: (line: string) => void;
  readonly settings?: Partial<HostSettings>;
}
