import { isRefusal } from "@parley/contract";
import type { Log } from "@parley/telemetry";
import { createProjectTools } from "../../runtime/process/inspect.ts";
import { findBoundary } from "../../sandbox/boundary.ts";
import { prepareApp, type UnpackedApp } from "../app-preparation.ts";
import type { PreparationMessage } from "../preparation-process.ts";

/** Prepares one app, which the publisher names by a message, and ends. It ends early when the publisher ends. */

const send = (message: PreparationMessage): Promise<void> =>
  new Promise((resolve) => void process.send?.(message, () => resolve()));

const prepare = async (app: UnpackedApp): Promise<void> => {
  try {
    const boundaries = [app.boundary];
    const [boundary, tools] = await Promise.all([findBoundary(boundaries), createProjectTools(boundaries)]);
    const log: Log = (message, fields) => void send({ kind: "log", message, fields });
    const installed = () => void send({ kind: "installed" });
    await send({ kind: "prepared", prepared: await prepareApp(app, { boundary, tools, log, installed }) });
  } catch (error) {
    if (isRefusal(error)) await send({ kind: "refused", status: error.problem.status, message: error.message });
    else await send({ kind: "failed", stack: (error as Error).stack ?? String(error) });
  }
  process.exit(0);
};

process.once("disconnect", () => process.exit(1));
process.once("message", (app: UnpackedApp) => void prepare(app));
