import { NOWHERE, type Problem } from "@parley/contract";

/**
 * Hears of every answer.
 * @shape route: the contract row's, "" for an address that is no endpoint; answer: the success code, or the problem's token
 */
export type Observe = (route: string, answer: string) => void;

/** What says that an address is none is no answer of the endpoint whose pattern it fits. */
export const routeOfRefusal = (route: string | undefined, problem: Problem): string =>
  NOWHERE.some((row) => row.status === problem.status) ? "" : (route ?? "");
