import Type, { type Static } from "typebox";
import { PlanType } from "../api/accounts.ts";
import { Time } from "../api/values.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { sessionsOf } from "../kernel/access.ts";
import { AccountDocument } from "../account-document/account-document.ts";
import { ACCOUNT_NOT_FOUND } from "../api/accounts.ts";

export const ACCOUNT_EXISTS = problem({
  code: 409,
  status: "ACCOUNT_EXISTS",
  message: "An account of this name exists.",
  remedy: "Choose another name, or apply a document to the account that exists.",
});

/** @assumed Days after which the data of a closed account is deleted, unless the request names another number. */
export const CLOSED_ACCOUNT_DAYS = 30;
/** @assumed Most days between the close of an account and its deletion: ten years. */
export const CLOSED_ACCOUNT_DAYS_MAX = 3_650;

/** Present while an account is closed. */
export const closedAccountTimes = {
  closed_time: Type.Optional(Time),
  /** When its data is deleted. */
  deletion_time: Type.Optional(Time),
};

const NewAccount = Type.Object(
  {
    name: AccountDocument.properties.name,
    plan_type: Type.Optional(PlanType),
    owner: Type.Object({
      email: Type.String({ minLength: 1, maxLength: 254 }),
      first_name: Type.Optional(Type.String({ maxLength: 255 })),
      last_name: Type.Optional(Type.String({ maxLength: 255 })),
    }),
  },
  { title: "NewAccount" },
);
export type NewAccount = Static<typeof NewAccount>;

export const CreatedAccount = Type.Object(
  {
    id: Type.Integer(),
    account: Type.String(),
    owner_id: Type.String(),
    email: Type.String(),
    link: Type.String({ description: "The owner's invitation; only this response contains it." }),
    expires_time: Time,
  },
  { title: "CreatedAccount" },
);
export type CreatedAccount = Static<typeof CreatedAccount>;

export const ClosedAccount = Type.Object(
  {
    account: Type.String(),
    ...closedAccountTimes,
  },
  { title: "ClosedAccount" },
);
export type ClosedAccount = Static<typeof ClosedAccount>;

const SPEC = "Resources and their fields";

/** Creating and closing accounts. */
export const accountLifecycle = {
  createAccount: endpoint({
    route: "POST /admin/accounts",
    summary: "Create an account without demo data, with its owner",
    spec: SPEC,
    access: { adminKey: true },
    body: NewAccount,
    reply: { code: 201, body: CreatedAccount },
    problems: [ACCOUNT_EXISTS],
  }),
  closeAccount: endpoint({
    route: "DELETE /admin/accounts/{account}",
    summary: "Close an account: its tokens and sessions are refused at once, its data is deleted after the given days",
    spec: SPEC,
    access: { adminKey: true, session: sessionsOf("ACCOUNT_ADMIN", "account") },
    query: Type.Object({ after_days: Type.Optional(Type.Integer({ minimum: 0, maximum: CLOSED_ACCOUNT_DAYS_MAX })) }),
    reply: { code: 202, body: ClosedAccount },
    problems: [ACCOUNT_NOT_FOUND],
  }),
  reopenAccount: endpoint({
    route: "POST /admin/accounts/{account}/reopening",
    summary: "Reopen a closed account whose data is not deleted yet",
    spec: SPEC,
    access: { adminKey: true },
    reply: { code: 200, body: ClosedAccount },
    problems: [ACCOUNT_NOT_FOUND],
  }),
};
