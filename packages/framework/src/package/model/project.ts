import type {
  AppSettingsConfig,
  EntitiesConfig,
  IparamsConfig,
  Manifest,
  OAuthConfig,
  RequestTemplates,
} from "@parley/contract";
import type { Finding } from "./finding.ts";

export type { Finding } from "./finding.ts";

/** A function of server/ that an event calls. */
export interface EventHandler {
  /** Of the manifest's normal form; the product's name for events of products that are only read. */
  readonly module: string;
  readonly event: string;
  readonly handler: string;
}

/** An app's folder, read and checked: everything that the host needs of it. */
export interface Project {
  readonly folder: string;
  /** From package.json, else the folder's name. */
  readonly name: string;
  /** From package.json; "" when it says nothing. */
  readonly description: string;
  /** In the normal form, whatever its version. */
  readonly manifest: Manifest;
  /** As manifest.json says it: 2.0 to 3.1. */
  readonly platformVersion: string;
  /** From the manifest; from the code for an app of 2.0. */
  readonly handlers: readonly EventHandler[];
  /** Addresses that the verbs of the request method may reach, as the manifest has them; undefined from 2.3 on. */
  readonly whitelistedDomains?: readonly string[];
  /** Hosts that the manifest names for the app's own calls, by `whitelisted-domains`, whatever its version. @shape as `consentHost` returns them */
  readonly declaredHosts: readonly string[];
  /** Text of config/iparams.html, for an app with a page of its own. */
  readonly ownPage?: string;
  readonly oauth?: OAuthConfig;
  readonly iparams: IparamsConfig;
  /** Records that `$db.entity` keeps. */
  readonly entities: EntitiesConfig;
  /** Settings that config/app_settings.json declares. */
  readonly appSettings: AppSettingsConfig;
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
export interface LoadedProject {
  readonly project?: Project;
  readonly findings: readonly Finding[];
}

/** A package's name as a title: no scope, no hyphens. */
export const appTitle = (name: string): string => {
  const words = name.replace(/^@[^/]+\//, "").replace(/[-_]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};
