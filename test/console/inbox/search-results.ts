import { expect } from "@jest/globals";
import type { SearchHighlight, SearchResults } from "@parley/contract";
import type { Page } from "playwright-core";

/** The sections of the search's page, in the order of `expectedResults`. */
export const SECTIONS = ["Messages", "Customers", "Conversations"] as const;

/** What a section shows: where its results lead to, the marked words, and the texts. */
export const shownResults = (page: Page, section: (typeof SECTIONS)[number]) =>
  page
    .getByRole("region", { name: section, exact: true })
    .getByRole("listitem")
    .evaluateAll((items) =>
      items.map((item) => {
        const link = item.querySelector("a");
        const marks = [...item.querySelectorAll("mark")].map(({ textContent }) => textContent);
        return { to: `${link?.pathname}${link?.search}`, marks, text: item.textContent };
      }),
    );

const line = (to: string, highlight: SearchHighlight) => ({
  to: `/console/${to}`,
  marks: highlight.flatMap(({ text, is_match }) => (is_match ? [text] : [])),
  text: expect.stringContaining(highlight.map(({ text }) => text).join("")),
});

/** What the sections have to show of results of the API. */
export const expectedResults = ({ messages = [], users = [], conversations = [] }: SearchResults) => [
  messages.map(({ message: { conversation_id, id }, highlight }) =>
    line(`conversations/${conversation_id}?message=${id}`, highlight),
  ),
  users.map(({ user, highlight }) => line(`customers/${user.id}`, highlight)),
  conversations.map(({ conversation, highlight }) => line(`conversations/${conversation.conversation_id}`, highlight)),
];
