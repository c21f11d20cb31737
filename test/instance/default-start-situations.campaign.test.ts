import { chmod } from "node:fs/promises";
import { expect, test } from "@jest/globals";
import { canReproduce, inSituation, SITUATIONS } from "../../packages/framework/test/sandbox/boundary/situations.ts";
import { isOpenToAll } from "../../packages/framework/src/sandbox/confined-program.ts";
import { parley, ROOT, startParley, temporaryFolder } from "../support/parley-process.ts";
import { sampleRows } from "../support/campaign.ts";

/** Concierge answers on an instance that `npm start` starts, for each user and each isolation that the machine offers. */

// An ordinary user can't run files in another user's private folder.
const isOpen = await isOpenToAll(ROOT);
const shown = SITUATIONS.filter((situation) => canReproduce(situation) && (isOpen || situation.user === "root"));

test.each(sampleRows(shown, 2).map((situation) => [situation.title, situation] as const))(
  "npm start answers a customer when run as: %s",
  async (_title, situation) => {
    const data = await temporaryFolder("parley-test-", "/tmp");
    await chmod(data.folder, 0o777);
    const running = await startParley(`${data.folder}/data`, {
      wrapCommand: (command) => inSituation(situation, command).flat(),
    });
    try {
      const { status, stdout } = await parley([
        "chat",
        "--once",
        "Hi",
        "--url",
        running.service,
        "--token",
        running.token,
      ]);
      expect([status, stdout]).toEqual([0, expect.stringMatching(/\S/)]);
      const isWithoutBoundary = situation.without.some((call) => call.startsWith("landlock"));
      expect(/does not isolate the app's code/.test(running.output.stderr)).toBe(isWithoutBoundary);
    } finally {
      await running.stop();
      await data.remove();
    }
  },
);
