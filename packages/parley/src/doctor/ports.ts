import { createServer } from "node:net";
import type { ParleyConfig } from "../config.ts";
import { findInstance } from "../start/instance.ts";
import { ok, warn, type Finding } from "./check.ts";

/** -> undefined where the port is free, else the system's word for what is wrong */
const trouble = (port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(undefined)));
  });

/** A port can be opened, or is that of our own instance. */
export const port = async (config: ParleyConfig, number: number, variable: string): Promise<Finding> => {
  if (number === 0) return ok("Any free one.");
  const problem = await trouble(number);
  if (problem === undefined) return ok(`${number} is free.`);
  const own = await findInstance(config.dataFolder);
  if (own && [own.service, own.app].some((address) => new URL(address).port === String(number)))
    return ok(`${number} is used by the instance that runs here.`);
  return warn(
    `${number} can't be opened (${problem}).`,
    `Stop what uses it, or set ${variable} to another port (0: any free one).`,
  );
};
