import type { AppHostOptions, KeyPermissions, OutgoingFault } from "@parley/framework";
import type { LogFields, MetricsSnapshot } from "@parley/telemetry";
import type { AppEnvironmentState } from "../test-environment/app-environment.ts";
import type { SequenceStep } from "../test-environment/clock/ports.ts";

/** Hidden command that runs the platform process. */
export const PLATFORM_COMMAND = "platform-process";

/** Identifies an app host of this instance in messages. */
export type HostId = number;

/** Settings of a platform process. */
export interface PlatformSettings {
  readonly dataFolder: string;
  readonly databaseUrl: string | undefined;
  /** Seed of reproducible ids and secrets; absent: they are random. */
  readonly seed: string | undefined;
  /** Whether the process has metrics to send. */
  readonly isMeasured: boolean;
}

/** Options of an app host that are data. */
export type AppHostSettings = Pick<
  AppHostOptions,
  | "folder"
  | "origin"
  | "port"
  | "hosts"
  | "domainSuffix"
  | "identity"
  | "signIn"
  | "consoleOrigins"
  | "published"
  | "adminKey"
  | "maps"
  | "consentsOfRun"
  | "isCoverageMeasured"
> & { readonly service: { readonly origin: string; readonly token: string; readonly account: string } };

/** A started app host. */
export interface StartedHost {
  readonly port: number;
  /** Name of the app. */
  readonly name: string;
  /** Places of the app's pages. */
  readonly places: readonly string[];
}

/** @shape errors: by key of the parameter */
export type InstallResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly errors: Readonly<Record<string, string>>; readonly message?: string };

/** A request of an app, for which a fault may be due. */
interface AppRequest {
  readonly method: string;
  readonly host: string;
  readonly path: string;
}

/** Calls of the instance's process to the platform process. */
export interface PlatformCalls {
  open(settings: PlatformSettings): void;
  setEnvironment(state: AppEnvironmentState): void;
  /** @errors those of `startAppHost` */
  startHost(id: HostId, settings: AppHostSettings): StartedHost;
  setEventSecret(id: HostId, secret: string): void;
  isInstalled(id: HostId): boolean;
  install(id: HostId, values: Readonly<Record<string, unknown>>): InstallResult;
  /** -> the metrics of the process; empty unless it is measured */
  metrics(): readonly MetricsSnapshot[];
  /** Pauses all hosts. -> the position of the id sequence; undefined when ids are random */
  pause(): SequenceStep | undefined;
  resume(): void;
  /** Closes the hosts and the database; the process ends afterwards. */
  close(): void;
}

/** Calls of the platform process to the instance's process. */
export interface InstanceCalls {
  appKey(id: HostId, app: string, needed: KeyPermissions): string;
  /** -> number of undelivered events of the service */
  eventsToCome(id: HostId): number;
  /** The fault of a request, or undefined. A returned fault counts as having occurred. */
  takeFault(request: AppRequest): OutgoingFault | undefined;
  log(message: string, fields?: LogFields): void;
}
