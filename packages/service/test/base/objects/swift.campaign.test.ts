import { describe, test } from "@jest/globals";
import { describeObjectStore } from "./object-store-contract.ts";
import { hasSwift, startSwift, SWIFT_PACKAGES } from "./swift-server.ts";

/** A real S3-compatible storage, whose packages are not on every machine. */
if (hasSwift()) describeObjectStore({ title: "a bucket of OpenStack Swift", start: startSwift, isReal: true });
else {
  console.warn(`Tests on OpenStack Swift are skipped. Install ${SWIFT_PACKAGES} (Debian), and run as root.`);
  describe("a bucket of OpenStack Swift", () => {
    test.skip(`needs ${SWIFT_PACKAGES}, and root`, () => undefined);
  });
}
