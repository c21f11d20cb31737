import type { Fault } from "@parley/contract";

const whatOf = ({ kind, milliseconds, status, retry_after, when }: Fault): string => {
  if (kind === "latency") return `${milliseconds} ms later`;
  if (kind === "drop") return when === "after" ? "done, and the answer lost" : "the connection lost before";
  return `answered ${status}${status !== 500 && retry_after !== undefined ? ` (Retry-After ${retry_after})` : ""}`;
};

const whereOf = ({ target, endpoint = "*", host }: Fault): string => {
  const all = endpoint === "*";
  if (target !== "app") return all ? "every request" : endpoint;
  const whose = host === undefined ? "the app's requests" : `the app's requests to ${host}`;
  return all ? whose : `${endpoint} of ${whose}`;
};

const howOftenOf = ({ rate = 1, times }: Fault): string =>
  [
    ...(rate < 1 ? [`${Number((rate * 100).toFixed(1))} % of them`] : []),
    ...(times === undefined ? [] : [times === 1 ? "once" : `${times} times at most`]),
  ]
    .map((text) => `, ${text}`)
    .join("");

/** One line for a person, such as `POST /v2/users: answered 503, once`. */
export const describe = (fault: Fault): string => `${whereOf(fault)}: ${whatOf(fault)}${howOftenOf(fault)}`;
