import { createServer } from "node:net";
import { CommandFailure } from "./failure.ts";

export const LOOPBACK = "127.0.0.1";

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, LOOPBACK, () => probe.close(() => resolve(true)));
  });

/** The wanted port; 0 (any free port) when it is in use and was not set explicitly. */
export const choosePort = async (port: number, isExplicit: boolean): Promise<number> =>
  port === 0 || isExplicit || (await isFree(port)) ? port : 0;

/** Explains a port that can't be opened; other errors are rethrown. */
export const failAtPort = (error: unknown, name: string, port: number): never => {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "EADDRINUSE")
    throw new CommandFailure(
      `Port ${port} is in use. Stop the program that uses it, or set ${name} to another port (0: any free port).`,
    );
  if (code === "EACCES")
    throw new CommandFailure(
      `This user may not open port ${port}. Set ${name} to a port of at least 1024 (0: any free port).`,
    );
  throw error;
};
