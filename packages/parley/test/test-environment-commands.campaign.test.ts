import { afterEach, describe, expect, test } from "@jest/globals";
import { instanceHarness } from "./command-harness.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

/** `parley fault`, `parley snapshot`, `parley clock` and `parley reset` on an instance that runs as its own process. */

const harness = fileFixture(instanceHarness);

const get = (path: string) =>
  fetch(harness.origin + path, { headers: { authorization: `Bearer ${harness.running.token}` } });
const createUser = (name: string) =>
  fetch(`${harness.origin}/v2/users`, {
    method: "POST",
    headers: { authorization: `Bearer ${harness.running.token}`, "content-type": "application/json" },
    body: JSON.stringify({ first_name: name }),
  });
const userCount = async (name: string) =>
  ((await (await get(`/v2/users?first_name=${name}`)).json()) as { users: unknown[] }).users.length;

describe("parley fault", () => {
  afterEach(() => harness.callSuccessfully(["fault", "clear"]));

  test("add injects the fault, list counts its occurrences, and remove ends it", async () => {
    const added = await harness.callSuccessfully(["fault", "add", "GET /v2/groups", "--status", "503", "--times", "2"]);
    expect(added).toMatch(/^Fault (\S+): GET \/v2\/groups: status 503, 2 times at most\.\n$/);
    const id = /^Fault (\S+):/.exec(added)?.[1] ?? "";
    const refused = await get("/v2/groups");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect((await get("/v2/agents")).status).toBe(200);
    const [title, row] = (await harness.callSuccessfully(["fault", "list"])).split("\n");
    expect(title).toMatch(/^id +occurred +fault/);
    expect(row).toMatch(new RegExp(`^${id} +1 +GET /v2/groups: status 503`));
    expect(await harness.callSuccessfully(["fault", "remove", id])).toBe(
      `Fault ${id} was removed; it occurred once.\n`,
    );
    expect((await get("/v2/groups")).status).toBe(200);
  });

  test("--json prints the fault, the faults and the removed faults as one line", async () => {
    const added = JSON.parse(await harness.callSuccessfully(["fault", "add", "--latency", "5", "--json"])) as object;
    expect(added).toMatchObject({ kind: "latency", milliseconds: 5 });
    const listed = JSON.parse(await harness.callSuccessfully(["fault", "list", "--json"])) as unknown[];
    expect(listed).toHaveLength(1);
    const cleared = JSON.parse(await harness.callSuccessfully(["fault", "clear", "--json"])) as unknown[];
    expect(cleared).toHaveLength(1);
    expect(await harness.callSuccessfully(["fault", "list"])).toContain("There are no faults.");
  });

  test("--drop after processes the request and sends no response", async () => {
    await harness.callSuccessfully(["fault", "add", "POST /v2/users", "--drop", "after", "--times", "1"]);
    await expect(createUser("Dropped")).rejects.toThrow();
    expect(await userCount("Dropped")).toBe(1);
  });

  test.each([
    ["no effect", ["fault", "add"], "Choose the fault: one of --latency, --status and --drop."],
    ["two effects", ["fault", "add", "--latency", "5", "--status", "500"], "Choose the fault"],
    ["an unknown status", ["fault", "add", "--status", "418"], "status"],
    ["an unknown fault", ["fault", "remove", "999"], "FAULT_NOT_FOUND: There is no fault of this id."],
  ])("%s is refused in one line, and adds no fault", async (_, args, message) => {
    expect(await harness.callFailing(args)).toContain(message);
    expect(await harness.callSuccessfully(["fault", "list"])).toContain("There are no faults.");
  });

  test("a latency that is not a number is refused with a message", async () => {
    const { status, stderr } = await harness.call(["fault", "add", "--latency", "soon"]);
    expect(status).not.toBe(0);
    expect(stderr).toContain("Pass a number.");
  });
});

describe("parley snapshot", () => {
  test("save, load, list and remove a copy of all data", async () => {
    expect(await harness.callSuccessfully(["snapshot", "save", "one-more"])).toMatch(
      /^The snapshot one-more was saved in \d+ ms\.\n$/,
    );
    await createUser("Later");
    expect(await userCount("Later")).toBe(1);
    expect(await harness.callSuccessfully(["snapshot", "load", "one-more"])).toMatch(
      /^The snapshot one-more was loaded in \d+ ms\.\n$/,
    );
    expect(await userCount("Later")).toBe(0);
    expect(await harness.callSuccessfully(["snapshot", "list"])).toMatch(/^one-more +20\d\d-/m);
    expect(await harness.callSuccessfully(["snapshot", "remove", "one-more"])).toBe(
      "The snapshot one-more was removed.\n",
    );
    expect(await harness.callFailing(["snapshot", "load", "one-more"])).toContain("one-more");
  });
});

describe("parley clock and parley reset", () => {
  test("the clock stops, advances, and a reset restores it and the data", async () => {
    const frozen = await harness.callSuccessfully(["clock", "freeze", "2027-03-01T10:00:00Z"]);
    expect(frozen).toMatch(/^The clock shows 2027-03-01T10:00:00\.000Z, frozen\.\n/);
    expect(await harness.callSuccessfully(["clock", "advance", "1h30m"])).toContain("2027-03-01T11:30:00.000Z");
    await createUser("Frozen");
    expect(await harness.callSuccessfully(["reset"])).toMatch(/^Reset to the seed in \d+ ms\.\n$/);
    expect(await harness.callSuccessfully(["clock"])).toContain("the machine's time");
    expect(await userCount("Frozen")).toBe(0);
  });
});
