import type { AgentRole } from "@parley/contract";
import type { IconName } from "../ui/icon.tsx";
import { isAtLeast } from "../workspace/roles.ts";
import { administrationMessages as texts } from "./messages.ts";

/** A page of the administration. */
export interface AdminPage {
  readonly to: "/admin/audit-log" | "/admin/groups" | "/admin/tokens" | "/admin/webhooks";
  readonly label: string;
  /** What is done there, in one sentence. */
  readonly intro: string;
  readonly icon: IconName;
  /** The least powerful role that may see it. */
  readonly role: AgentRole;
}

/** A heading and its pages. */
export interface AdminSection {
  readonly title: string;
  readonly pages: readonly AdminPage[];
}

/** The pages in the order in which they are listed. */
export const ADMIN_SECTIONS: readonly AdminSection[] = [
  {
    title: texts.account,
    pages: [
      { to: "/admin/audit-log", label: texts.auditLog, intro: texts.auditLogIntro, icon: "clock", role: "ADMIN" },
    ],
  },
  {
    title: texts.team,
    pages: [{ to: "/admin/groups", label: texts.groups, intro: texts.groupsIntro, icon: "people", role: "ADMIN" }],
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
