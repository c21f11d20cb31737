import Type from "typebox";
import { ConsoleApp } from "../console/workspace.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { SPEC_OF_PLATFORM } from "./packages.ts";

/** Places of the apps of an account, for the console. The service asks for them; it signs its request as it signs events, by the admin key. */
export const appPlaces = {
  listAppPlaces: endpoint({
    route: "GET /platform/accounts/{account}/places",
    summary:
      "List the active apps of an account that have pages, with their places; an empty list for an unknown account",
    spec: SPEC_OF_PLATFORM,
    access: { adminKey: true },
    reply: { code: 200, body: Type.Object({ apps: Type.Array(ConsoleApp) }) },
  }),
};
