import { describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import type { BusinessHours } from "@parley/contract";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { UNKNOWN_ID, refusalToken, conversationsHarness } from "../conversations/conversations-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

let time = Date.parse("2026-07-06T13:30:00.000Z");
const s = fileFixture(() => conversationsHarness({ ports: { now: () => new Date(time) } }));

const within = (query: { time?: string; group_id?: string } = {}) =>
  s.client.businessHours.getWithinBusinessHours({ query });

const SET = statement(
  "",
  `insert into business_hours (account_id, group_id, body) values ($1, $2, $3)
   on conflict (account_id, group_id) do update set body = excluded.body`,
);
const setHours = async (account: number, group: string | null, hours: BusinessHours) => {
  const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
  await pool.rows(SET, [account, group, JSON.stringify(hours)]);
  await pool.end();
};

describe("GET /business-hours/within-bh", () => {
  test("GET /business-hours/within-bh 200: states whether the account is open now, and until when", async () => {
    expect(await within()).toEqual({
      within_business_hours: true,
      time: "2026-07-06T13:30:00.000Z",
      timezone: "America/New_York",
      next_change_time: "2026-07-06T21:30:00.000Z",
    });
    time = Date.parse("2026-07-06T22:00:00.000Z");
    expect(await within()).toMatchObject({
      within_business_hours: false,
      next_change_time: "2026-07-07T13:00:00.000Z",
    });
  });

  test("accepts a time with any offset", async () => {
    expect(await within({ time: "2026-12-07T09:00:00-05:00" })).toEqual({
      within_business_hours: true,
      time: "2026-12-07T14:00:00.000Z",
      timezone: "America/New_York",
      next_change_time: "2026-12-07T22:30:00.000Z",
    });
  });

  test("uses a group's own hours, or the account's if it has none, regardless of the id's case", async () => {
    const saturday = "2026-07-11T15:00:00.000Z";
    const [support, sales] = [s.groupIdOf("Support"), s.groupIdOf("Sales")];
    expect(await within({ time: saturday })).toMatchObject({ within_business_hours: false });
    expect(await within({ time: saturday, group_id: support })).toMatchObject({ within_business_hours: true });
    expect(await within({ time: saturday, group_id: support.toUpperCase() })).toMatchObject({
      within_business_hours: true,
    });
    expect(await within({ time: saturday, group_id: sales })).toMatchObject({ within_business_hours: false });
  });

  test("is always open, without a next change, if no hours are configured", async () => {
    const query = { time: "2026-07-11T15:00:00.000Z" };
    expect(await s.solo.businessHours.getWithinBusinessHours({ query })).toEqual({
      within_business_hours: true,
      time: query.time,
      timezone: "UTC",
    });
  });

  test("reflects a change of the configuration at once", async () => {
    const { groups } = await s.solo.groups.listGroups();
    const group = groups[0]?.id ?? null;
    await setHours(1002, null, { timezone: "Asia/Tokyo", week: {} });
    await setHours(1002, group, { timezone: "Asia/Tokyo", week: { monday: [{ from: "10:00", to: "11:00" }] } });
    const query = { time: "2026-07-06T01:00:00.000Z" };
    expect(await s.solo.businessHours.getWithinBusinessHours({ query })).toEqual({
      within_business_hours: false,
      time: query.time,
      timezone: "Asia/Tokyo",
    });
    const own = { ...query, ...(group && { group_id: group }) };
    expect(await s.solo.businessHours.getWithinBusinessHours({ query: own })).toMatchObject({
      within_business_hours: group !== null,
    });
  });

  test.each([
    ["that there is not", () => UNKNOWN_ID],
    ["that is not an id", () => "Support"],
    ["of another account", async () => (await s.solo.groups.listGroups()).groups[0]?.id ?? UNKNOWN_ID],
  ])("GET /business-hours/within-bh 404 GROUP_NOT_FOUND: a group %s", async (_title, id) => {
    expect(await refusalToken(within({ group_id: await id() }))).toBe("GROUP_NOT_FOUND");
  });

  test.each([
    ["no time", "time=noon"],
    ["a date only", "time=2026-07-06"],
    ["an hour that there is not", "time=2026-07-06T25:00:00Z"],
    ["two times", "time=2026-07-06T10:00:00Z&time=2026-07-06T10:00:00Z"],
    ["NUL in a group", "group_id=%00"],
    ["a group longer than a line", `group_id=${"x".repeat(5_000)}`],
  ])("refuses %s", async (_title, query) => {
    const response = await s.raw("GET", `/v2/business-hours/within-bh?${query}`);
    expect([response.status, ((await response.json()) as { status: string }).status]).toEqual([400, "INVALID_VALUE"]);
  });

  test.each(["0000-01-01T00:00:00Z", "0000-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])(
    "accepts the distant time %s",
    async (far) => {
      const outside = await within({ time: far });
      expect(outside.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    },
  );

  test("refuses other methods", async () => {
    expect((await s.raw("POST", "/v2/business-hours/within-bh")).status).toBe(405);
  });
});
