import type { IparamValue } from "@parley/contract";
import type { Database } from "@parley/database";
import type { Installation } from "./install/installations.ts";
import type { Ports } from "./ports.ts";
import type { Project } from "./project/project.ts";

export interface AppHostOptions {
  /** Folder of the app. */
  readonly folder: string;
  readonly database: Database;
  /** Holds the key of the secure parameters, in a file of its own. */
  readonly dataFolder: string;
  /** 0: any free one. */
  readonly port: number;
  /** Hosts of local accounts and where they really are; the first is the usual one. */
  readonly hosts: ReadonlyMap<string, { readonly origin: string }>;
  /** What follows the account's name in such a host. */
  readonly domainSuffix: string;
  /** What the service signs events with; "" while it isn't known. */
  readonly eventSecret: () => string | Promise<string>;
  readonly ports?: Ports;
  readonly log?: (line: string) => void;
}

/** One server for one app: its installation page, its events, its code. */
export interface AppHost {
  readonly url: string;
  readonly port: number;
  /** The last good version of the app. */
  readonly project: () => Project;
  readonly installation: () => Promise<Installation | undefined>;
  /** Installs the app, or changes its parameters, as the page does. */
  install(
    values: Record<string, IparamValue>,
  ): Promise<{ ok: true } | { ok: false; errors: Record<string, string>; message?: string }>;
  close(): Promise<void>;
}
