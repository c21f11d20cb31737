import type { IncomingMessage } from "node:http";
import type { Ports } from "../../base/environment/ports.ts";

/** Header with the id of a request: a proxy can send an id, and every reply has it. Lines of the log about the request name it. */
export const REQUEST_ID_HEADER = "x-request-id";

/** An id that another program has chosen is written to the log as it is. */
const ACCEPTED = /^[\w.:+/=-]{1,128}$/;
const PREFIX_BYTES = 9;

/**
 * Creates the function that identifies requests: by their own header, or by an id that no other process gives.
 * @assumed A header that is longer than 128 characters, or has others than letters, digits and `_.:+/=-`, is replaced.
 */
export const createRequestIds = (random: Ports["random"]): ((request: IncomingMessage) => string) => {
  const prefix = random(PREFIX_BYTES).toString("base64url");
  let count = 0;
  return ({ headers }) => {
    const given = headers[REQUEST_ID_HEADER];
    if (typeof given === "string" && ACCEPTED.test(given)) return given;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
};
