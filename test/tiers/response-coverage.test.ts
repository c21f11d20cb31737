import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "@jest/globals";
import * as contract from "@parley/contract";

type Answers = readonly (readonly [route: string, answer: string])[];
let faultsOf: (answers: Answers, from: typeof contract) => string[];
beforeAll(async () => {
  const file = join(fileURLToPath(new URL("../..", import.meta.url)), "scripts/answers.mjs");
  ({ faultsOf } = (await import(pathToFileURL(file).href)) as { faultsOf: typeof faultsOf });
});

const { BODY_PROBLEMS, IDEMPOTENCY_PROBLEMS, UPLOAD_PROBLEMS, ROUTING_PROBLEMS } = contract;
const COMMON = ["UNAUTHENTICATED", "FORBIDDEN", "TOO_MANY_REQUESTS", "INTERNAL_SERVER_ERROR", "SERVICE_UNAVAILABLE"];

/** All responses that the contract documents, as if the tests had received each of them. */
const complete: Answers = [
  ...contract
    .rowsOf()
    .flatMap(({ row }) =>
      [
        String(row.reply.code),
        ...COMMON,
        ...[
          ...(row.problems ?? []),
          ...(row.body ? BODY_PROBLEMS : []),
          ...(row.upload ? UPLOAD_PROBLEMS : []),
          ...(row.acceptsIdempotencyKey ? IDEMPOTENCY_PROBLEMS : []),
        ].map(({ status }) => status),
      ].map((answer) => [row.route, answer] as const),
    ),
  ...ROUTING_PROBLEMS.map(({ status }) => ["", status] as const),
];
const withoutPair = (route: string, answer: string): Answers =>
  complete.filter((pair) => pair[0] !== route || pair[1] !== answer);
const withoutAnswer = (answer: string): Answers => complete.filter((pair) => pair[1] !== answer);

test("the check of received responses reports no fault when every documented response was received", () => {
  expect(faultsOf(complete, contract)).toEqual([]);
});

describe("the check of received responses reports", () => {
  const MISSING: [route: string, answer: string][] = [
    ["GET /users/{user_id}", "200"],
    ["GET /users/{user_id}", "USER_NOT_FOUND"],
    ["GET /users/{user_id}", "UNAUTHENTICATED"],
    ["GET /users/{user_id}", "FORBIDDEN"],
    ["POST /users", "INVALID_JSON"],
    ["POST /users", "PAYLOAD_TOO_LARGE"],
    ["POST /images/upload", "UNSUPPORTED_MEDIA_TYPE"],
    ["POST /files/upload", "IDEMPOTENCY_KEY_REUSED"],
  ];
  test.each(MISSING)("that %s never answered %s", (route, answer) => {
    expect(faultsOf(withoutPair(route, answer), contract)).toEqual([`${route} never answered ${answer}`]);
  });

  test.each(["TOO_MANY_REQUESTS", "INTERNAL_SERVER_ERROR", "SERVICE_UNAVAILABLE"])(
    "that nothing answered %s",
    (token) => {
      expect(faultsOf(withoutAnswer(token), contract)).toEqual([`nothing answered ${token}`]);
    },
  );

  test.each(ROUTING_PROBLEMS.map(({ status }) => status))("that no unmatched path answered %s", (token) => {
    expect(faultsOf(withoutPair("", token), contract)).toEqual([`no address answered ${token}`]);
  });

  const TOO_MANY: [route: string, answer: string][] = [
    ["GET /agents", "201"],
    ["GET /agents", "AGENT_NOT_FOUND"],
    ["GET /agents", "INVALID_JSON"],
    ["GET /users/{user_id}", "NOT_FOUND"],
    ["GET /agents", "NONSENSE"],
  ];
  test.each(TOO_MANY)("that %s answered %s, which is not documented", (route, answer) => {
    const faults = [`${route} responded with ${answer}, which its row does not list`];
    expect(faultsOf([...complete, [route, answer]], contract)).toEqual(faults);
  });

  test("nearly every response when no response was received", () => {
    expect(faultsOf([], contract).length).toBeGreaterThan(contract.rowsOf().length * 2);
  });
});

test("the check of received responses ignores paths outside the contract", () => {
  expect(faultsOf([...complete, ["GET /probe", "200"], ["", "INVALID_VALUE"]], contract)).toEqual([]);
});
