import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Lets in who has the admin key; the comparison takes as long for every wrong one. */
export const door = (adminKey: string) => {
  const wanted = digest(`Bearer ${adminKey}`);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header("cache-control", "no-store");
    if (timingSafeEqual(digest(request.headers.authorization ?? ""), wanted)) return undefined;
    return reply.code(401).send({ message: "The admin key is missing or wrong: it is kept in the data folder." });
  };
};
