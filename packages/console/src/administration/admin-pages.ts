import type { AgentRole } from "@parley/contract";
import type { IconName } from "../ui/icon.tsx";
import { isAtLeast } from "../workspace/roles.ts";
import { administrationMessages as texts } from "./messages.ts";

/** A page of the administration. */
interface AdminPage {
  readonly to:
    | "/admin/groups"
    | "/admin/apps"
    | "/admin/tokens"
    | "/admin/reports"
    | "/admin/raw-reports"
    | "/admin/agents"
    | "/admin/identity-providers"
    | "/admin/roles"
    | "/admin/account"
    | "/admin/topics"
    | "/admin/messenger"
    | "/admin/fields"
    | "/admin/business-hours"
    | "/admin/outbound-templates"
    | "/admin/outbound-messages"
    | "/admin/audit-log"
    | "/admin/webhooks";
  readonly label: string;
  /** Purpose of the page, in one sentence. */
  readonly intro: string;
  readonly icon: IconName;
  /** The least powerful role that may see it. */
  readonly role: AgentRole;
}

/** A heading and its pages. */
interface AdminSection {
  readonly title: string;
  readonly pages: readonly AdminPage[];
}

/** The pages in the order in which they are listed. */
export const ADMIN_SECTIONS: readonly AdminSection[] = [
  {
    title: texts.accountSection,
    pages: [
      { to: "/admin/account", label: texts.account, intro: texts.accountIntro, icon: "settings", role: "ADMIN" },
      { to: "/admin/topics", label: texts.topics, intro: texts.topicsIntro, icon: "inbox", role: "ADMIN" },
      { to: "/admin/messenger", label: texts.messenger, intro: texts.messengerIntro, icon: "chat", role: "ADMIN" },
      { to: "/admin/fields", label: texts.fields, intro: texts.fieldsIntro, icon: "flag", role: "ADMIN" },
      { to: "/admin/business-hours", label: texts.hours, intro: texts.hoursIntro, icon: "clock", role: "ADMIN" },
      {
        to: "/admin/outbound-templates",
        label: texts.outboundTemplates,
        intro: texts.outboundTemplatesIntro,
        icon: "template",
        role: "ADMIN",
      },
      {
        to: "/admin/outbound-messages",
        label: texts.outboundMessages,
        intro: texts.outboundMessagesIntro,
        icon: "send",
        role: "ADMIN",
      },
      { to: "/admin/audit-log", label: texts.auditLog, intro: texts.auditLogIntro, icon: "clock", role: "ADMIN" },
    ],
  },
  {
    title: texts.team,
    pages: [
      { to: "/admin/agents", label: texts.agents, intro: texts.agentsIntro, icon: "person", role: "ADMIN" },
      { to: "/admin/groups", label: texts.groups, intro: texts.groupsIntro, icon: "people", role: "ADMIN" },
      { to: "/admin/roles", label: texts.roles, intro: texts.rolesIntro, icon: "flag", role: "ADMIN" },
      {
        to: "/admin/identity-providers",
        label: texts.identityProviders,
        intro: texts.identityProvidersIntro,
        icon: "shield",
        role: "ADMIN",
      },
    ],
  },
  {
    title: texts.appsSection,
    pages: [{ to: "/admin/apps", label: texts.apps, intro: texts.appsIntro, icon: "app", role: "ADMIN" }],
  },
  {
    title: texts.reportsSection,
    pages: [
      { to: "/admin/reports", label: texts.reports, intro: texts.reportsIntro, icon: "chart", role: "SUPER_USER" },
      {
        to: "/admin/raw-reports",
        label: texts.rawReports,
        intro: texts.rawReportsIntro,
        icon: "file",
        role: "SUPER_USER",
      },
    ],
  },
  {
    title: texts.developers,
    pages: [
      { to: "/admin/tokens", label: texts.tokens, intro: texts.tokensIntro, icon: "key", role: "ADMIN" },
      { to: "/admin/webhooks", label: texts.webhooks, intro: texts.webhooksIntro, icon: "external", role: "ADMIN" },
    ],
  },
];

/** The sections with the pages that a role may see; sections without any are left out. */
export const sectionsFor = (role: AgentRole): readonly AdminSection[] =>
  ADMIN_SECTIONS.map(({ title, pages }) => ({
    title,
    pages: pages.filter((page) => isAtLeast(role, page.role)),
  })).filter(({ pages }) => pages.length > 0);
