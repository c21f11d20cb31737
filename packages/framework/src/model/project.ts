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

/** A function of server/ that handles an event. */
export interface HandlerBinding {
  /** Module in the normal form of the manifest; for an event of another product, the product's name. */
  readonly module: string;
  readonly event: string;
  readonly handler: string;
}

/** A loaded and validated app, with everything that the host needs. */
export interface Project {
  readonly folder: string;
  /** From package.json; otherwise the folder's name. */
  readonly name: string;
  /** From package.json; "" if absent. */
  readonly description: string;
  /** In the normal form, whatever the platform version. */
  readonly manifest: Manifest;
  /** `platform-version` of manifest.json: 2.0 to 3.1. */
  readonly platformVersion: string;
  /** From the manifest; from the code for an app of 2.0. */
  readonly handlers: readonly HandlerBinding[];
  /** `whitelisted-domains` of the manifest, which `$request.get` and the like may reach; undefined from 2.3 on. */
  readonly whitelistedDomains?: readonly string[];
  /** Hosts in `whitelisted-domains` for the app's own HTTP calls, for all versions. @shape as returned by `consentHost` */
  readonly declaredHosts: readonly string[];
  /** Text of config/iparams.html, for an app with its own installation page. */
  readonly ownPage?: string;
  readonly oauth?: OAuthConfig;
  readonly iparams: IparamsConfig;
  /** Entities of `$db.entity`. */
  readonly entities: EntitiesConfig;
  /** Settings that config/app_settings.json declares. */
  readonly appSettings: AppSettingsConfig;
  /** Request templates that the manifest declares. */
  readonly requests: RequestTemplates;
  /** CommonJS bundle of server/; "" if the app has no server/. */
  readonly serverCode: string;
  /** Source map of `serverCode`. */
  readonly serverMap?: string;
  /** Script that assigns the functions of config/assets/iparams.{ts,js} to `globalThis.__callbacks`; "" if absent. */
  readonly callbacksCode: string;
  /** Unique for every load. */
  readonly version: string;
}

/** The project is present if no finding prevents the app from running. */
export interface LoadedProject {
  readonly project?: Project;
  readonly findings: readonly Finding[];
}

/** A package's name as a title, without scope and hyphens. */
export const appTitle = (name: string): string => {
  const spaced = name.replace(/^@[^/]+\//, "").replace(/[-_]+/g, " ");
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
};
