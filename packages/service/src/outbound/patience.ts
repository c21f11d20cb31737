import type { Ports } from "../ports.ts";
import type { Provider } from "./provider.ts";
import type { Failure } from "./transitions.ts";

/** @units milliseconds */
const REST = 60_000;

const SILENT: Failure = { code: "PROVIDER_UNAVAILABLE", reason: "The provider gives no answer." };

/**
 * Leaves a provider that gave no answer in time alone for a while: else all messages to it would each wait for it, and other work of the
 * background behind them.
 */
export const patient = (provider: Provider, { now }: Pick<Ports, "now">): Provider => {
  let rested = 0;
  return {
    async send(message, signal) {
      const left = rested - now().getTime();
      if (left > 0) return { kind: "later", failure: SILENT, afterMs: left };
      const sending = await provider.send(message, signal);
      if (sending.kind === "again" && sending.isSilent) rested = now().getTime() + REST;
      return sending;
    },
    close: () => provider.close(),
  };
};
