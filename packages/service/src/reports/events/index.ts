import type { ReportEvent } from "@parley/contract";
import type { EventReport } from "../event.ts";
import { agentActivity, agentIntelliassignActivity } from "./agent-activity.ts";
import { agentPerformance } from "./agent-performance.ts";
import { chatTranscript } from "./chat-transcript.ts";
import { classic } from "./classic.ts";
import { conversationAgentAssigned, conversationGroupAssigned } from "./conversation-assigned.ts";
import { conversationCreated } from "./conversation-created.ts";
import { conversationResolutionLabel } from "./conversation-resolution-label.ts";
import { conversationResolved } from "./conversation-resolved.ts";
import { csatScore } from "./csat-score.ts";
import { messageSent } from "./message-sent.ts";
import { resolutionTime } from "./resolution-time.ts";
import { firstResponseTime, responseTime } from "./response-time.ts";

/** What each report is made of. @assumed The columns of those whose columns no public document shows. */
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
  classic,
};
