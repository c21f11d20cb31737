import type { HostedApp } from "@parley/contract";
import { keyOf } from "../admin/connect.ts";
import { controlCalls } from "../control/calls.ts";
import { printable } from "../printable.ts";
import type { AppPlace, FoundInstance } from "../start/instance.ts";

/** An app of the instance, and whether it is installed now; undefined where its host does not say. */
interface AppState {
  readonly place: AppPlace;
  readonly isInstalled: boolean | undefined;
}

const stateOf = async (place: AppPlace, key: string): Promise<AppState> => {
  const hosted: HostedApp | undefined = await controlCalls(place.app, key)
    .app()
    .catch(() => undefined);
  return { place, isInstalled: hosted && hosted.account !== undefined };
};

const statesOf = async (instance: FoundInstance): Promise<AppState[]> => {
  const key = await keyOf(instance.folder).catch(() => undefined);
  if (key === undefined) return (instance.apps ?? []).map((place) => ({ place, isInstalled: undefined }));
  return Promise.all((instance.apps ?? []).map((place) => stateOf(place, key)));
};

/**
 * Why nobody answers a customer, and what to do next: one or two sentences.
 * @param instance undefined for a service that was named by its address
 */
export async function silenceReason(instance: FoundInstance | undefined): Promise<string> {
  if (!instance)
    return "Is an app installed there that greets in this channel? Its installation page and log are on that instance.";
  const states = await statesOf(instance);
  if (states.length === 0)
    return "No app runs on this instance: it serves the API alone. Start one with 'parley run' in an app's folder, or answer as an agent by the API.";
  const waiting = states.filter(({ isInstalled }) => isInstalled === false);
  if (waiting.length === states.length) {
    const pages = waiting.map(({ place }) => `${printable(place.name)} on ${place.installPage}`);
    return `No app is installed. Install ${pages.join(", or ")}, then write again.`;
  }
  const names = states.filter(({ isInstalled }) => isInstalled !== false).map(({ place }) => printable(place.name));
  return `${names.join(", ")} is installed and has not answered: see what it did with 'parley logs', and whether its settings leave this channel out.`;
}
