import { sessionsOf } from "../kernel/access.ts";
import Type, { type Static } from "typebox";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";

export const PlanType = Type.Enum(["Free", "Growth", "Pro", "Enterprise"]);
export type PlanType = Static<typeof PlanType>;

/** @assumed The names of the three bundle types. */
export const BundleType = Type.Enum(["STANDALONE", "SUITE_SUPPORT", "SUITE_SALES"]);
export const Datacenter = Type.Enum(["US", "EUC", "AUS", "IND", "US2"]);

/** @spec Resources and their fields > Account configuration object */
export const AccountConfiguration = Type.Object(
  {
    organisation_id: Type.Integer(),
    organisation_domain: Type.String(),
    account_id: Type.Integer(),
    account_domain: Type.String(),
    app_id: Type.String(),
    bundle_id: Type.Integer({ description: "0 when the account is not part of a bundle" }),
    bundle_type: BundleType,
    plan_type: PlanType,
    datacenter: Datacenter,
  },
  { title: "AccountConfiguration" },
);
export type AccountConfiguration = Static<typeof AccountConfiguration>;

export const accounts = {
  getConfiguration: endpoint({
    route: "GET /accounts/configuration",
    summary: "Get the configuration of the account",
    spec: "Endpoints > Accounts",
    access: { token: "account:read", session: sessionsOf("AGENT", "account") },
    reply: { code: 200, body: AccountConfiguration },
  }),
};

export const ACCOUNT_NOT_FOUND = problem({ code: 404, status: "ACCOUNT_NOT_FOUND", message: "account not found" });
