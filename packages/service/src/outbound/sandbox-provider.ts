import type { Ports } from "../environment/ports.ts";
import type { OutboundProvider, LaterReport } from "./provider.ts";
import type { OutboundFailure } from "./outbound-message.ts";

/** Pause after a timeout. @units milliseconds */
const pauseAfterTimeoutMs = 60_000;

const PAUSED: OutboundFailure = { code: "PROVIDER_UNAVAILABLE", reason: "The provider gives no answer." };

/**
 * Pauses sending after the provider timed out. Otherwise each message would wait for a timeout and delay other
 * background jobs.
 */
export const withPauseAfterTimeout = (provider: OutboundProvider, { now }: Pick<Ports, "now">): OutboundProvider => {
  let pausedUntil = 0;
  return {
    async send(message, signal) {
      const left = pausedUntil - now().getTime();
      if (left > 0) return { kind: "later", failure: PAUSED, afterMs: left };
      const sending = await provider.send(message, signal);
      if (sending.kind === "again" && sending.isSilent) pausedUntil = now().getTime() + pauseAfterTimeoutMs;
      return sending;
    },
    close: () => provider.close(),
  };
};

const secondMs = 1_000;

const delivered = (afterMs: number): readonly LaterReport[] => [{ report: { status: "Delivered" }, afterMs }];

/**
 * Outcomes by recipient, for numbers reserved for fiction.
 * @assumed Messages to other numbers are delivered.
 */
export const SANDBOX_NUMBERS: Readonly<Record<string, readonly LaterReport[]>> = {
  "+12025550101": delivered(0),
  "+12025550102": [
    {
      report: {
        status: "Failed",
        failure: { code: "RECIPIENT_UNREACHABLE", reason: "The recipient does not use the chat app." },
      },
      afterMs: 0,
    },
  ],
  "+12025550103": delivered(30 * secondMs),
  "+12025550104": [],
};

/** Simulates a provider without network access. */
export const createSandboxProvider = (): OutboundProvider => ({
  async send({ message_id, to }) {
    const reports = SANDBOX_NUMBERS[to.phone_number] ?? delivered(0);
    return { kind: "taken", provider_message_id: `sandbox-${message_id}`, reports };
  },
  close: async () => undefined,
});
