import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { userChangeOf, type ReportedUser, type UserValues } from "../../../server/lib/external-event.ts";

/** Changes to a user that follow from another system's report. */

const EARLY = "2026-01-01T10:00:00.000Z";
const MID = "2026-01-01T11:00:00.000Z";
const LATE = "2026-01-01T12:00:00.000Z";
const reportedValues = (values: UserValues, at: string): ReportedUser =>
  userChangeOf({ updated_time: EARLY }, values, {}, at).reported;

test.each([
  ["an empty field is filled, whenever", { updated_time: LATE }, { email: "a" }, {}, EARLY, { email: "a" }],
  ["an equal value is not a change", { email: "a", updated_time: EARLY }, { email: "a" }, {}, LATE, {}],
  ["a value is changed by a later value", { email: "a", updated_time: EARLY }, { email: "b" }, {}, MID, { email: "b" }],
  [
    "a value is changed by a value of the same time",
    { email: "a", updated_time: MID },
    { email: "b" },
    {},
    MID,
    { email: "b" },
  ],
  ["somebody's later change stands", { email: "a", updated_time: LATE }, { email: "b" }, {}, MID, {}],
  [
    "our own change gives way, though it was made later",
    { email: "a", updated_time: LATE },
    { email: "b" },
    reportedValues({ email: "a" }, EARLY),
    MID,
    { email: "b" },
  ],
  [
    "an earlier telling comes too late",
    { email: "a", updated_time: EARLY },
    { email: "b" },
    reportedValues({ email: "a" }, LATE),
    MID,
    {},
  ],
  [
    "a value that is reported again at the same time counts",
    { email: "a", updated_time: EARLY },
    { email: "b" },
    reportedValues({ email: "a" }, MID),
    MID,
    { email: "b" },
  ],
  ["an empty value removes nothing", { email: "a", updated_time: EARLY }, { email: "" }, {}, LATE, {}],
  [
    "each field is by itself",
    { first_name: "A", phone: "1", updated_time: EARLY },
    { first_name: "B", last_name: "C", phone: "1" },
    {},
    LATE,
    { first_name: "B", last_name: "C" },
  ],
])("%s", (_title, user, fields, before, at, change) =>
  expect(userChangeOf(user, fields, before, at).change).toEqual(change),
);

test("reported values are stored as time and hash", () => {
  const { reported } = userChangeOf({ updated_time: EARLY }, { email: "ada@example.com", phone: "+1" }, {}, MID);
  expect(Object.keys(reported)).toEqual(["email", "phone"]);
  expect(reported.email).toEqual({ at: MID, mark: expect.stringMatching(/^v-[\w-]{28}$/) });
  expect(userChangeOf({ email: "a", updated_time: LATE }, { email: "b" }, {}, MID).reported).toEqual({});
});

test("repeated reports in any order have the same result", () => {
  const time = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour)).toISOString();
  const tellings = fc.uniqueArray(
    fc.record({ hour: fc.integer({ min: 0, max: 20 }), email: fc.constantFrom("a", "b", "c") }),
    {
      selector: ({ hour }) => hour,
      minLength: 1,
      maxLength: 6,
    },
  );
  const ends = (order: readonly { hour: number; email: string }[]) => {
    let user: { email?: string; updated_time: string } = { updated_time: time(0) };
    let reportedUser: ReportedUser = {};
    for (const [index, { hour, email }] of order.entries()) {
      const { change, reported: next } = userChangeOf(user, { email }, reportedUser, time(hour));
      // Every change is stored later than the reported times.
      if (change.email) user = { email: change.email, updated_time: time(21 + (index % 2)) };
      reportedUser = { ...reportedUser, ...next };
    }
    return user.email;
  };
  fc.assert(
    fc.property(tellings, fc.infiniteStream(fc.nat()), (list, numbers) => {
      const shuffled = [...list, ...list].map((one) => ({ one, key: numbers.next().value as number }));
      const newest = list.reduce((one, other) => (other.hour > one.hour ? other : one));
      expect(ends(shuffled.sort((one, other) => one.key - other.key).map(({ one }) => one))).toBe(newest.email);
    }),
  );
});
