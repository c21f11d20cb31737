import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { newBrowserKey, pemOf, rsaPair, signedHarness, tokenOf, type SignedHarness } from "./signing-fixture.ts";

let s: SignedHarness;
const site = rsaPair();
beforeAll(async () => {
  s = await signedHarness();
  await s.addKey({ name: "Portal", algorithm: "RS256", public_key: pemOf(site.publicKey) });
});
afterAll(() => s.close());

/** Characters of a token, and some that are in none. */
const CHARACTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \n\u00e9"];
const position = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const character = fc.constantFrom(...CHARACTERS);

type Mutation = (token: string) => string;
const at = (token: string, where: number): number => Math.floor(where * token.length);
/** Changes of a text, from a single character to whole parts. */
const mutations: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(position, character).map(([where, to]): Mutation => {
    return (token) => token.slice(0, at(token, where)) + to + token.slice(at(token, where) + 1);
  }),
  fc.tuple(position, character).map(([where, more]): Mutation => {
    return (token) => token.slice(0, at(token, where)) + more + token.slice(at(token, where));
  }),
  position.map(
    (where): Mutation =>
      (token) =>
        token.slice(0, at(token, where)) + token.slice(at(token, where) + 1),
  ),
  position.map(
    (where): Mutation =>
      (token) =>
        token.slice(0, at(token, where)),
  ),
  character.map(
    (last): Mutation =>
      (token) =>
        token.slice(0, -1) + last,
  ),
  fc.constantFrom<Mutation>(
    (token) => token.split(".").toReversed().join("."),
    (token) =>
      token
        .split(".")
        .with(2, token.split(".")[1] ?? "")
        .join("."),
    (token) => `${token}.${token}`,
    (token) => token.toLowerCase(),
  ),
);

test.each([
  ["HS256", () => s.secret],
  ["RS256", () => site.privateKey],
] as const)("no change of a right token of %s is accepted", async (_, key) => {
  const browser_key = newBrowserKey();
  await fc.assert(
    fc.asyncProperty(mutations, async (mutate) => {
      // So that the limit of refused tokens is not reached.
      s.advance(3_600);
      const token = tokenOf(await s.claimsFor(browser_key, { reference_id: "m-1" }), key());
      const mutated = mutate(token);
      if (mutated === token || mutated === "") return;
      expect((await s.begin(mutated, { browser_key })).code).toBe(401);
      expect((await s.begin(token, { browser_key })).code).toBe(201);
    }),
    { numRuns: 60 },
  );
});
