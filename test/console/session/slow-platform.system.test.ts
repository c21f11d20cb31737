import { expect, test } from "@jest/globals";
import { consoleHarness } from "../support/harness.ts";
import { platformPidOf } from "../../support/parley-process.ts";
import { fileFixture } from "../../support/file-fixture.ts";

/** The console while the process of the apps does not answer, as on a machine without time for it. */

const s = fileFixture(() => consoleHarness({ hasConcierge: true }));

test("apps of a platform that did not answer appear beside an open conversation when it answers", async () => {
  const { id } = await s.beginConversation("Ada", "Where is my order?");
  const platform = await platformPidOf(s.pid);
  process.kill(platform, "SIGSTOP");
  const agent = await s.visit();
  const { page } = agent;
  const app = page.getByRole("region", { name: "Concierge", exact: true });
  try {
    const answered = page.waitForResponse((response) => response.url().endsWith("/console/api/apps"));
    await agent.open(`/console/conversations/${id}`);
    expect(await (await answered).json()).toEqual({ apps: [], is_complete: false });
    await page.getByText("Where is my order?").last().waitFor();
    await page.getByRole("complementary", { name: "Details" }).waitFor();
    expect(await app.count()).toBe(0);
  } finally {
    process.kill(platform, "SIGCONT");
  }
  await app.waitFor();
});
