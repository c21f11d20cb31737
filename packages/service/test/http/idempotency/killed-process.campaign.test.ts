import { expect, test } from "@jest/globals";
import { isNoAnswerError } from "@parley/client";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { serviceProcess } from "../../service-process.ts";
import { newIdempotencyKey, idempotencyHarness } from "./idempotency-harness.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const w = fileFixture(idempotencyHarness);
const gate = fileFixture(() => w.database.connect(SERVICE_SCHEMA));

const WAITING = statement(
  "",
  `select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`,
);
const FOUND = statement("", "select count(*)::integer as count from users where first_name = 'Kira'");
const countOf = async (query: typeof WAITING) => (await w.pool.one<{ count: number }>(query, []))?.count ?? 0;

test("a request whose process ends between commit and response is done: the next process returns the same response", async () => {
  const child = await serviceProcess(w.database, w.objectsFolder);
  const idempotencyKey = newIdempotencyKey();
  const { token } = child;
  await gate.script("begin; lock table idempotency_keys in exclusive mode");
  const query = child.client.users.createUser({ body: { first_name: "Kira" }, idempotencyKey }).then(
    () => "answered",
    (error: unknown) => (isNoAnswerError(error) ? "no answer" : error),
  );
  await waitUntil(async () => (await countOf(WAITING)) > 0);
  // A suspended process can't respond; its statement continues in the database.
  process.kill(child.pid, "SIGSTOP");
  await gate.script("commit");
  await waitUntil(async () => (await countOf(FOUND)) === 1);
  await child.kill();
  expect(await query).toBe("no answer");

  const creating = { ...w.creatingRequest("POST /users"), body: () => JSON.stringify({ first_name: "Kira" }) };
  const again = await w.sendRequest(creating, 0, idempotencyKey, { token });
  expect(again).toMatchObject({ status: 201, isReplay: true });
  expect(JSON.parse(again.text)).toMatchObject({ first_name: "Kira" });
  expect(await countOf(FOUND)).toBe(1);
});
