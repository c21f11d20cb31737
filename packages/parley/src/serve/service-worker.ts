import { openService } from "./service.ts";
import { runWorkerPart } from "./worker.ts";

/** Addresses of the service and of the platform. */
interface WorkerAddress {
  readonly port: number;
  readonly host: string;
  readonly appsUrl: string;
  readonly platformUrl: string;
}

/** Runs one process of the service. -> the exit status */
export const runServiceWorker = (address: WorkerAddress, number: number): Promise<number> =>
  runWorkerPart({
    name: `service-${number}`,
    closesFirst: false,
    open: async (context) => {
      const service = await openService({ ...address, ...context, listens: false });
      // Node starts checking request timeouts on this event, which is not emitted without a listener.
      service.server.emit("listening");
      return service;
    },
  });
