import type { IparamsConfig, Manifest, RequestTemplates } from "@parley/contract";
import type { Finding } from "./finding.ts";

export type { Finding } from "./finding.ts";

/** An app's folder, read and checked: everything that the host needs of it. */
export interface Project {
  readonly folder: string;
  /** From package.json, else the folder's name. */
  readonly name: string;
  /** From package.json; "" when it says nothing. */
  readonly description: string;
  readonly manifest: Manifest;
  readonly iparams: IparamsConfig;
  /** Those that the manifest declares. */
  readonly requests: RequestTemplates;
  /** CommonJS text of server/, bundled; "" when the app has none. */
  readonly serverCode: string;
  /** Leads from a place in that text to the one in the app's own files. */
  readonly serverMap?: string;
  /** Script that puts the functions of config/assets/iparams.{ts,js} into `globalThis.__callbacks`; "" when absent. */
  readonly callbacksCode: string;
  /** Changes with every load. */
  readonly version: string;
}

/** A project is there when nothing found keeps it from running. */
export interface Loaded {
  readonly project?: Project;
  readonly findings: readonly Finding[];
}
