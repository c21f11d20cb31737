import type { ConsoleApp } from "@parley/contract";
import { manifestPlaces } from "../../front/places.ts";
import { appTitle, type Project } from "../../model/project.ts";
import { placeIcon } from "../../publishing/app-icon.ts";

/** An app as the console lists it; undefined for one without pages. @shape origin: of its page for agents, in browsers */
export const consoleAppOf = async (project: Project, origin: string): Promise<ConsoleApp | undefined> => {
  const places = await Promise.all(
    manifestPlaces(project.manifest).map(async ({ id, kind, label, icon }) => {
      const icon_url = await placeIcon(project, icon);
      return { id, kind, label, ...(icon_url !== undefined && { icon_url }) };
    }),
  );
  return places.length === 0 ? undefined : { name: project.name, title: appTitle(project.name), origin, places };
};

/** Lists the active apps of an account. */
export type ListConsoleApps = (account: string) => Promise<readonly ConsoleApp[]>;
