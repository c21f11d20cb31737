import type { ReportEvent } from "@parley/contract";
import type { EventReport } from "./columns.ts";
import { agentActivity, agentIntelliassignActivity, agentPerformance } from "./agent-reports.ts";
import { chatTranscript, messageSent } from "./message-reports.ts";
import {
  classicReports,
  conversationAgentAssigned,
  conversationGroupAssigned,
  conversationCreated,
  conversationResolutionLabel,
  conversationResolved,
  csatScore,
  resolutionTime,
  firstResponseTime,
  responseTime,
} from "./conversation-reports.ts";

/** The definition of each report. @assumed The columns of the reports whose columns no public document lists. */
export const EVENT_REPORTS: Readonly<Record<ReportEvent, EventReport>> = {
  "Agent-Activity": agentActivity,
  "Agent-Intelliassign-Activity": agentIntelliassignActivity,
  "Conversation-Agent-Assigned": conversationAgentAssigned,
  "Conversation-Created": conversationCreated,
  "Conversation-Group-Assigned": conversationGroupAssigned,
  "Conversation-Resolution-Label": conversationResolutionLabel,
  "Conversation-Resolved": conversationResolved,
  "CSAT-Score": csatScore,
  "First-Response-Time": firstResponseTime,
  "Message-Sent": messageSent,
  "Resolution-Time": resolutionTime,
  "Response-Time": responseTime,
  "Chat-Transcript": chatTranscript,
  "agent-performance": agentPerformance,
  classic: classicReports,
};
