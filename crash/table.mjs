/** Text output of a run: a line for each round, and a report at the end. */
import { FAULTS } from "./nemesis.mjs";
import { REPLICATION_FAULTS } from "./patroni/faults.mjs";

const SORTS = { lost: "lost", doubled: "doubled", outOfOrder: "out of order", undelivered: "undelivered" };
const whole = (number) => Math.round(number).toLocaleString("en");
const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`;

/** -> the four counts, summed over the rounds */
export const totalsOf = (rounds) =>
  Object.fromEntries(Object.keys(SORTS).map((sort) => [sort, rounds.reduce((sum, round) => sum + round[sort], 0)]));

const countsIn = (counts) =>
  Object.entries(SORTS)
    .map(([sort, word]) => `${counts[sort]} ${word}`)
    .join(", ");

export const roundLines = (number, rounds, { acknowledged, plan, longestGap, longestRequest, drain, ...round }) => {
  const took = `in ${(round.seconds - drain).toFixed(1)} s, all events received ${drain.toFixed(1)} s later`;
  return [
    `round ${number}/${rounds}: ${whole(acknowledged)} acknowledged ${took}; longest gap ${seconds(longestGap)}, longest request ${seconds(longestRequest.ms)} (${longestRequest.outcome})`,
    ...plan.map((name) => `  ${name}`),
    ...(Object.values(totalsOf([round])).some((count) => count > 0) ? [`  → ${countsIn(round)}`] : []),
    ...round.examples.map(({ text }) => `    ${text}`),
  ].join("\n");
};

/** Aligns columns; the first is text, the others are numbers. */
const columns = (rows) => {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row.map((text, column) => (column === 0 ? text.padEnd(widths[column]) : text.padStart(widths[column]))).join("   "),
  );
};

const faultRows = (rounds) =>
  Object.keys({ ...FAULTS, ...REPLICATION_FAULTS }).flatMap((name) => {
    const struck = rounds.filter(({ plan }) => plan.includes(name));
    if (struck.length === 0) return [];
    const times = struck.reduce((sum, { plan }) => sum + plan.filter((each) => each === name).length, 0);
    const alone = struck.filter(({ plan }) => plan.length === 1);
    const longest = (of) => (alone.length > 0 ? seconds(Math.max(...alone.map(of))) : "–");
    return [[name, whole(times), longest(({ longestGap }) => longestGap), longest((round) => round.longestRequest.ms)]];
  });

export const report = ({ rounds, tally, isKeyed, command }) => {
  const ran = rounds.reduce((sum, round) => sum + round.seconds, 0);
  const acknowledged = rounds.reduce((sum, round) => sum + round.acknowledged, 0);
  const again = isKeyed
    ? "requests, retried with the same key"
    : "requests, not checked because keys are not supported";
  return [
    "",
    ...columns([["fault", "times", "longest gap *", "longest request *"], ...faultRows(rounds)]),
    "* between two acknowledgements, and of one request, in rounds with only this fault",
    "",
    `rounds          ${whole(rounds.length)} in ${Math.round(ran)} s`,
    `acknowledged    ${whole(acknowledged)} writes, ${whole(acknowledged / ran)} a second`,
    `no response     ${whole(tally.unanswered)} ${again}`,
    `refused         ${whole(tally.refused)} temporarily (409, 429, 503), ${whole(tally.broken)} with 500`,
    `answers         ${Object.entries(tally.statuses)
      .map(([status, count]) => `${whole(count)} with ${status}`)
      .join(", ")}`,
    `replayed        ${whole(tally.replayed)} responses to repeated requests`,
    "",
    ...columns(Object.entries(totalsOf(rounds)).map(([sort, count]) => [SORTS[sort].padEnd(13), whole(count)])),
    "",
    `To repeat: ${command}`,
  ].join("\n");
};
