import type { InboxItem } from "@parley/contract";
import { Badge, type BadgeTone } from "../ui/badge.tsx";
import { conversationMessages as texts } from "./messages.ts";

const STATUSES: Readonly<Record<InboxItem["status"], readonly [text: string, tone: BadgeTone]>> = {
  new: [texts.statusNew, "warning"],
  reopened: [texts.statusReopened, "warning"],
  assigned: [texts.statusAssigned, "neutral"],
  resolved: [texts.statusResolved, "success"],
};

/** The status of a conversation. */
export const StatusBadge = ({ status }: { readonly status: InboxItem["status"] }) => {
  const [text, tone] = STATUSES[status];
  return <Badge tone={tone}>{text}</Badge>;
};
