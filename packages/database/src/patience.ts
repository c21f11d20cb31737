import { setTimeout as wait } from "node:timers/promises";
import { isConnectionLost } from "./failure.ts";

/** How long a server that restarts is waited for. @units milliseconds */
const PATIENCE = 10_000;

/** Tries to connect until the server is back; nothing was sent to it, so that each try is safe. */
export async function whenReachable<T>(connect: () => Promise<T>, goOn: () => boolean): Promise<T> {
  const deadline = performance.now() + PATIENCE;
  for (let pause = 10; ; pause = Math.min(pause * 2, 250)) {
    try {
      return await connect();
    } catch (error) {
      if (!goOn() || !isConnectionLost(error) || performance.now() + pause > deadline) throw error;
    }
    await wait(pause);
  }
}
