import type { LaterReport, Provider } from "./provider.ts";

const SECOND = 1_000;

const delivered = (afterMs: number): readonly LaterReport[] => [{ report: { status: "Delivered" }, afterMs }];

/**
 * What comes of messages to numbers that are reserved for fiction, and so belong to nobody.
 * @assumed Any other number is delivered to as well.
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
  "+12025550103": delivered(30 * SECOND),
  "+12025550104": [],
};

/** Plays a provider: nothing leaves the machine. */
export const sandbox = (): Provider => ({
  async send({ message_id, to }) {
    const reports = SANDBOX_NUMBERS[to.phone_number] ?? delivered(0);
    return { kind: "taken", provider_message_id: `sandbox-${message_id}`, reports };
  },
  close: async () => undefined,
});
