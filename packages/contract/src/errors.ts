import { IDEMPOTENCY_PROBLEMS } from "./api/idempotency.ts";
import { rowsOf } from "./api/index.ts";
import { OUTBOUND_MESSAGE_NOT_FOUND } from "./api/outbound.ts";
import {
  BODY_PROBLEMS,
  UPLOAD_PROBLEMS,
  COMMON_PROBLEMS,
  ROUTING_PROBLEMS,
  TOKEN_PROBLEMS,
  problemsOf,
} from "./api/problems.ts";
import { consoleApi } from "./console/index.ts";
import type { Endpoint } from "./kernel/endpoint.ts";
import type { Problem } from "./kernel/problem.ts";
import { identity } from "./identity/index.ts";
import { messengerApi } from "./messenger/index.ts";
import { platform } from "./platform/index.ts";
import { admin } from "./admin/admin.ts";
import { testEnvironment } from "./test-environment/test-environment.ts";

/** An entry of the documentation's table of errors. */
export interface ErrorEntry {
  readonly problem: Problem;
  /** Advice to the caller. */
  readonly remedy: string;
  /** Routes that return the error, or a description of them if there are many. */
  readonly where: readonly string[];
}

/** Default remedies by HTTP code, for rows without a remedy. */
const REMEDIES: Readonly<Record<number, string>> = {
  400: "Correct what the message names, and send the request again.",
  403: "Ask the account's administrator.",
  404: "Check the id: it must be one of the token's own account, and of something that still exists.",
  409: "Look at what stands in the way: the message names it.",
  413: "Send less in one request.",
  429: "Wait for as many seconds as the Retry-After header says.",
  503: "Retry after as many seconds as the Retry-After header says.",
};

const GROUPS: readonly (readonly [problems: readonly Problem[], where: string])[] = [
  [COMMON_PROBLEMS, "every endpoint"],
  [TOKEN_PROBLEMS, "every endpoint that takes an access token"],
  [BODY_PROBLEMS, "every endpoint with a JSON body"],
  [UPLOAD_PROBLEMS, "every endpoint that takes a form"],
  [IDEMPOTENCY_PROBLEMS, "every endpoint that takes an Idempotency-Key"],
  [ROUTING_PROBLEMS, "every address"],
  // The provider callback is in no table of endpoints.
  [[OUTBOUND_MESSAGE_NOT_FOUND], "POST /outbound-callbacks/{provider}"],
];

/** Lists all problems of the API with the endpoints that return them, sorted by code and token. @spec Errors */
export function errorTable(): ErrorEntry[] {
  const rows = [
    ...rowsOf(),
    ...rowsOf({ ...identity, ...consoleApi, ...messengerApi, admin, world: testEnvironment, platform }),
  ];
  const problems = new Set<Problem>([
    ...rows.flatMap(({ row }) => problemsOf(row)),
    ...GROUPS.flatMap(([members]) => members),
  ]);
  const whereOf = (problem: Problem): string[] => {
    const groups = GROUPS.filter(([members]) => members.includes(problem)).map(([, where]) => where);
    // "every endpoint" already includes the narrower groups.
    if (groups[0] === "every endpoint" || groups[0] === "every address") return groups.slice(0, 1);
    const isOfToken = TOKEN_PROBLEMS.some((each) => each === problem);
    const isCovered = (row: Endpoint) =>
      groups.length > 0 && (isOfToken ? row.access.token !== undefined : Boolean(row.body ?? row.upload));
    const own = rows.filter(({ row }) => problemsOf(row).includes(problem) && !isCovered(row));
    return [...groups, ...own.map(({ row }) => row.route)];
  };
  return [...problems]
    .map((problem) => ({
      problem,
      remedy: problem.remedy ?? REMEDIES[problem.code] ?? "The message says what is wrong.",
      where: whereOf(problem),
    }))
    .sort((a, b) => a.problem.code - b.problem.code || (a.problem.status < b.problem.status ? -1 : 1));
}
