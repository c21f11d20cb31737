import { INVALID_VALUE, NOT_FOUND, refuse } from "@parley/contract";
import type { FastifyReply, FastifyRequest, FastifyServerOptions } from "fastify";

/** NUL, which PostgreSQL rejects in text, and half of a character, which UTF-8 can't encode. */
const INVALID_TEXT = /\0|\p{Surrogate}/u;

/** Whether a value of JSON contains an invalid text, at any depth. */
const hasInvalidText = (value: unknown): boolean => {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === "string" && INVALID_TEXT.test(next)) return true;
    if (typeof next !== "object" || next === null || ArrayBuffer.isView(next)) continue;
    for (const [name, member] of Object.entries(next)) pending.push(name, member);
  }
  return false;
};

/**
 * Refuses texts that no name or id contains, in the path, the query and the body. A hook of each row of the platform, after its authorization.
 * @errors INVALID_VALUE
 */
export const checkTexts = async ({ url, params, query, body }: FastifyRequest): Promise<void> => {
  try {
    decodeURIComponent(url);
  } catch {
    refuse(INVALID_VALUE, "The address is not URL encoded: a percent sign itself is written as %25.");
  }
  for (const [part, value] of [["address", { params, query }] as const, ["body", body] as const])
    if (hasInvalidText(value))
      refuse(INVALID_VALUE, `The ${part} contains the character NUL or half of a character. Leave it out.`);
};

const sendProblem = (reply: FastifyReply, { code, status }: { code: number; status: string }, message: string) =>
  reply.code(code).header("cache-control", "no-store").send({ code, status, message });

/** Answers an address that no router can read, such as one with an invalid escape, as the rows answer. */
export const answerUnreadableAddress: NonNullable<FastifyServerOptions["frameworkErrors"]> = (
  _error,
  _request,
  reply,
) => void sendProblem(reply, INVALID_VALUE, "The address is not URL encoded: a percent sign itself is written as %25.");

/** Answers an address below /platform that has no row. */
export const answerUnknownAddress = (request: FastifyRequest, reply: FastifyReply): void =>
  void sendProblem(reply, NOT_FOUND, `The platform has no address ${request.method} ${request.url.split("?", 1)[0]}.`);
