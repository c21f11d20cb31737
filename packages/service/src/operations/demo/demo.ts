import type { Db, Pool } from "@parley/database";
import { writeLists } from "../administration/document/account-lists.sql.ts";
import { listsAsInserts, NO_LISTS, INITIAL_MESSENGER } from "../administration/document/sections/state.ts";
import { setupStore } from "../administration/document/store.ts";
import { type DemoAccount, createDemoIds, demoAgents } from "./demo-account.ts";
import { ACME } from "./acme.ts";
import { insertAgents } from "../../identity/agents/store.ts";
import { insertReplyTemplates } from "../../console/reply-templates/store.ts";
import { LOCAL_DOMAIN } from "../../identity/edge/host.ts";
import { BUILT_IN_ROLES } from "../administration/document/sections/agents-and-groups.ts";

const idOf = createDemoIds("solo");

const groups = [
  {
    id: idOf("group", "Everyone"),
    name: "Everyone",
    description: "All of us",
    routing_type: "OCR" as const,
    routing_logic: "OCR" as const,
    signed_in_agents_only: true,
    org_id: idOf("org group", "Everyone"),
  },
];
const roles = BUILT_IN_ROLES;
const statuses = [{ id: idOf("status", "Available"), name: "Available", availability_status: "AVAILABLE" as const }];

/** A one-person business with a stand-alone account: conversation properties are not valid here. */
export const STAND_ALONE: DemoAccount = {
  id: 1002,
  name: "solo",
  primary_locale: "en",
  configuration: {
    organisation_id: 5002,
    organisation_domain: `solo-org.${LOCAL_DOMAIN}`,
    account_id: 1002,
    account_domain: `solo.${LOCAL_DOMAIN}`,
    app_id: idOf("app", "solo"),
    bundle_id: 0,
    bundle_type: "STANDALONE",
    plan_type: "Growth",
    datacenter: "EUC",
  },
  calls_per_hour: null,
  automatic_assignment: false,
  messenger: INITIAL_MESSENGER,
  lists: {
    ...NO_LISTS,
    channels: [
      {
        id: idOf("channel", "Messages"),
        updated_time: "2026-01-05T09:00:00.000Z",
        icon: {},
        enabled: true,
        public: true,
        tags: [],
        texts: { en: { name: "Messages" } },
      },
    ],
    groups,
    roles,
    statuses,
  },
  replies: [],
  agents: demoAgents(
    idOf,
    { groups, roles, statuses },
    {
      domain: "solo.example",
      people: [
        {
          first_name: "Sam",
          last_name: "Solo",
          groups: ["Everyone"],
          role: "ACCOUNT_ADMIN",
          status: "Available",
          joined: "2025-01-06T09:00:00.000Z",
        },
      ],
    },
  ),
};

const DEMO_ACCOUNTS = [ACME, STAND_ALONE];

/** Other accounts have ids from 10001 on. */
export const isDemoAccount = ({ id }: { readonly id: number }): boolean =>
  DEMO_ACCOUNTS.some((account) => account.id === id);

const ensure = async (tx: Db, { id, lists, agents, replies, ...settings }: DemoAccount): Promise<void> => {
  if (!(await setupStore(tx).insert(id, settings))) return;
  await writeLists(tx, id, listsAsInserts(lists));
  await insertAgents(tx, id, agents);
  await insertReplyTemplates(tx, id, replies);
};

/** Creates the demo accounts if they don't exist. Existing accounts are not changed. */
export const ensureDemo = (pool: Pool): Promise<void> =>
  pool.transaction(async (tx) => {
    for (const account of DEMO_ACCOUNTS) await ensure(tx, account);
  });
