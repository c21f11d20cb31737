import { appActivity } from "./activity.ts";
import { folderApps } from "./folder-apps.ts";
import { appInstallations } from "./installations.ts";
import { appPackages } from "./packages.ts";
import { appPlaces } from "./places.ts";

export * from "./activity.ts";
export * from "./delegation.ts";
export * from "./folder-apps.ts";
export * from "./installations.ts";
export * from "./packages.ts";
export * from "./places.ts";

/** Endpoints of the platform: packages of apps and their installations on accounts. The platform serves them, not the service. */
export const platform = { ...appPackages, ...appInstallations, ...appActivity, ...folderApps, ...appPlaces };
