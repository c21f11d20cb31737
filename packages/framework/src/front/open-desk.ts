import type { ServiceEvent } from "@parley/contract";
import type { Project } from "../project/project.ts";
import type { Desk } from "./desk.ts";
import { liveDesk } from "./live-desk.ts";
import { sampleDesk } from "./sample-desk.ts";
import { serviceCall, type ServiceAccess } from "./service.ts";

/** A desk that is told what happens. */
export interface OpenDesk extends Desk {
  /** Takes each event that the service tells, whether the app listens to it or not. */
  readonly hear: (event: ServiceEvent) => void;
  /** The data is another: nothing of what was seen holds. */
  forget(): void;
}

/** The desk of the live service where there is one, else of the app's own samples. */
export const openDesk = (service: ServiceAccess | undefined, project: () => Project): OpenDesk => {
  if (!service) return { ...sampleDesk(project), hear: () => undefined, forget: () => undefined };
  const fresh = () => liveDesk(serviceCall(service), service.account);
  let desk = fresh();
  return {
    live: true,
    recent: () => desk.recent(),
    open: (id) => desk.open(id),
    agents: () => desk.agents(),
    send: (message) => desk.send(message),
    change: (change) => desk.change(change),
    hear: (event) => desk.hear(event),
    forget: () => void (desk = fresh()),
  };
};
