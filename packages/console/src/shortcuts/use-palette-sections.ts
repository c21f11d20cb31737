import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useStore } from "../state/store.ts";
import { filterMatches } from "../ui/match-text.ts";
import { shortcutMessages as texts } from "./messages.ts";
import {
  bestSectionFirst,
  filledSections,
  paletteCommands,
  type PaletteItem,
  type PaletteSection,
} from "./palette-items.ts";
import { recentPlaces, type RecentPlace } from "./recent-places.ts";
import { commandsWithKeys } from "./command-keys.ts";
import { commands } from "./shortcuts.ts";
import { useFoundPlaces } from "./use-found-places.ts";

/** -> what the palette shows for a text: recently opened places, commands, customers, conversations, and the search */
export const usePaletteSections = (typed: string): readonly PaletteSection[] => {
  const navigate = useNavigate();
  const all = useStore(commands);
  const found = useFoundPlaces(typed);
  const recent = useMemo(recentPlaces, []);

  const itemOf =
    (section: string) =>
    ({ kind, id, label, detail }: RecentPlace & { readonly detail?: string }): PaletteItem => ({
      id: `${section} ${id}`,
      label,
      icon: kind === "customer" ? "person" : "inbox",
      ...(detail !== undefined && { detail }),
      run: () =>
        void (kind === "customer"
          ? navigate({ to: "/customers/$customerId", params: { customerId: id } })
          : navigate({ to: "/conversations/$conversationId", params: { conversationId: id } })),
    });

  const text = typed.trim();
  const matching = filterMatches(text, recent, ({ label }) => label);
  const isRecent = (id: string): boolean => matching.some((place) => place.id === id);
  const unlisted = (places: readonly (RecentPlace & { readonly detail: string })[]) =>
    places.filter(({ id }) => !isRecent(id)).map(itemOf("found"));
  const search: PaletteItem = {
    id: "search",
    label: texts.searchFor(text),
    icon: "search",
    run: () => void navigate({ to: "/search", search: { q: text } }),
  };
  const known: readonly PaletteSection[] = [
    { id: "recent", title: texts.recent, items: matching.map(itemOf("recent")) },
    { id: "commands", title: texts.commands, items: paletteCommands(commandsWithKeys(all.values()), text) },
  ];
  return filledSections([
    ...bestSectionFirst(known, text),
    // They arrive later: in front of the others they would change what Enter does.
    { id: "customers", title: texts.customers, items: unlisted(found.customers) },
    { id: "conversations", title: texts.conversations, items: unlisted(found.conversations) },
    { id: "search", title: texts.search, items: text === "" ? [] : [search] },
  ]);
};
