/** Checks that the tests produced every response that the contract documents, and no other. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./installed.mjs";

/** Folder where the services under test record their responses: `<route>\t<success code or token>`, one file for each process. */
const FOLDER = join(root, "node_modules/.cache/parley/answers");

export const forgetAnswers = () => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
};

export const readAnswers = () =>
  existsSync(FOLDER)
    ? readdirSync(FOLDER)
        .flatMap((name) => readFileSync(join(FOLDER, name), "utf8").split("\n"))
        .filter(Boolean)
        .map((line) => line.split("\t"))
    : [];

/** Errors that must occur at least once, but not for each endpoint. */
const GLOBAL_ERRORS = ["TOO_MANY_REQUESTS", "INTERNAL_SERVER_ERROR", "SERVICE_UNAVAILABLE"];

const tokensOf = (problems = []) => problems.map(({ status }) => status);

/**
 * Compares the contract with the recorded responses.
 * @shape answers: `[route, answer]` pairs; contract: the package's rowsOf, problemsOf, BODY_PROBLEMS, UPLOAD_PROBLEMS, IDEMPOTENCY_PROBLEMS and ROUTING_PROBLEMS
 * @returns one line for each difference
 */
export function faultsOf(
  answers,
  { rowsOf, problemsOf, BODY_PROBLEMS, UPLOAD_PROBLEMS, IDEMPOTENCY_PROBLEMS, ROUTING_PROBLEMS },
) {
  const recorded = new Set(answers.map(([route, answer]) => `${route}\t${answer}`));
  const tokens = new Set(answers.map(([, answer]) => answer));
  const rows = rowsOf().map(({ row }) => row);

  const missing = rows.flatMap((row) =>
    [
      String(row.reply.code),
      "UNAUTHENTICATED",
      ...(row.access.token ? ["FORBIDDEN"] : []),
      ...tokensOf(row.problems),
      ...tokensOf(row.body ? BODY_PROBLEMS : []),
      ...tokensOf(row.upload ? UPLOAD_PROBLEMS : []),
      ...tokensOf(row.acceptsIdempotencyKey ? IDEMPOTENCY_PROBLEMS : []),
    ]
      .filter((answer) => !recorded.has(`${row.route}\t${answer}`))
      .map((answer) => `${row.route} never answered ${answer}`),
  );
  const anywhere = GLOBAL_ERRORS.filter((token) => !tokens.has(token)).map((token) => `nothing answered ${token}`);
  const nowhere = tokensOf(ROUTING_PROBLEMS)
    .filter((token) => !recorded.has(`\t${token}`))
    .map((token) => `no address answered ${token}`);
  const documented = new Map(
    rows.map((row) => [row.route, new Set([String(row.reply.code), ...tokensOf(problemsOf(row))])]),
  );
  const undocumented = [...recorded]
    .map((line) => line.split("\t"))
    .filter(([route, answer]) => documented.get(route)?.has(answer) === false)
    .map(([route, answer]) => `${route} responded with ${answer}, which its row does not list`);
  return [...new Set([...missing, ...anywhere, ...nowhere, ...undocumented])];
}
