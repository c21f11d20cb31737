import { appInstallations } from "./installations.ts";
import { appPackages } from "./packages.ts";

export * from "./installations.ts";
export * from "./packages.ts";

/** Endpoints of the platform: packages of apps and their installations on accounts. The platform serves them, not the service. */
export const platform = { ...appPackages, ...appInstallations };
