import { setTimeout } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { absentReplicaFixture } from "../../absent-replica-fixture.ts";
import { serviceHarness } from "../../service-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const replicated = fileFixture(absentReplicaFixture);
const w = fileFixture(() => serviceHarness({ database: replicated.database }));

const KEYED = ["/v2/users", "/v2/agents"] as const;
const bodyOf = (path: string) =>
  path === "/v2/users" ? { first_name: "Ann" } : { first_name: "Eve", email: "eve@lumen.example" };
const keyOf = (path: string) => `key-${path.replaceAll("/", "-")}`;

const post = async (path: string, key: string) => {
  const response = await w.raw("POST", path, {
    body: JSON.stringify(bodyOf(path)),
    headers: { "content-type": "application/json", "idempotency-key": key },
  });
  const { status, headers } = response;
  const { id, message } = (await response.json()) as { id?: string; message?: string };
  return { status, retry: headers.get("retry-after"), id, message };
};

test("a write that the database does not confirm gets 503, and is done once", async () => {
  await replicated.awaitReplica(true);
  // The server takes up its new setting in the background.
  for (let probe = 0; (await post("/v2/users", `probe-${probe}`)).status === 201; probe++) await setTimeout(20);
  const overdue = await Promise.all(KEYED.map((path) => post(path, keyOf(path))));
  for (const { status, retry } of overdue) {
    expect({ status, retry }).toEqual({ status: 503, retry: "1" });
  }
  expect(overdue[1]?.message).toContain("repeat the request with the same Idempotency-Key");
  // The first requests are still in progress.
  for (const { status } of await Promise.all(KEYED.map((path) => post(path, keyOf(path))))) {
    expect(status).toBe(503);
  }

  await replicated.awaitReplica(false);
  const untilDone = async (path: string) => {
    for (;;) {
      const answer = await post(path, keyOf(path));
      if (answer.status === 201) return answer.id;
      expect(answer.status).toBe(503);
      await setTimeout(50);
    }
  };
  for (const path of KEYED) {
    const id = await untilDone(path);
    expect(await untilDone(path)).toBe(id);
  }
  const agents = await w.client.agents.listAgents({ query: {} });
  expect(agents.agents.filter(({ email }) => email === "eve@lumen.example")).toHaveLength(1);
}, 60_000);
