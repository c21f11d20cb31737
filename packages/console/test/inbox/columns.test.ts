import { expect, test } from "@jest/globals";
import { COLUMN_WIDTHS, columnsIn } from "../../src/inbox/columns.ts";

const { views, conversation, details } = COLUMN_WIDTHS;
const all = { views: true, details: true, isConversationOpen: true };

test.each([
  ["all columns with space for all", views + conversation + details, all, "views details"],
  ["no views with too little space for all", views + conversation + details - 0.1, all, "details"],
  ["the details as long as they fit beside the conversation", conversation + details, all, "details"],
  ["details above the conversation with less space", conversation + details - 0.1, all, "views above"],
  ["the views in place of closed details", views + conversation, { ...all, details: false }, "views above"],
  ["the views until a conversation is open", conversation + details, { ...all, isConversationOpen: false }, "views"],
  ["no views that the agent has hidden", 100, { ...all, views: false }, "details"],
  ["neither in a narrow window", 0, all, "above"],
] as const)("the inbox has %s", (_case, space, wanted, expected) => {
  const columns = columnsIn(space, wanted);
  const shown = [columns.views && "views", columns.details && "details", columns.areDetailsAbove && "above"];
  expect(shown.filter(Boolean).join(" ")).toBe(expected);
});
