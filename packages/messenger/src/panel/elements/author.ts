import type { MessengerActor } from "@parley/contract";
import { visibleName } from "@parley/contract/display";
import type { Display } from "./display.ts";

/** Who wrote, as it is shown. */
export interface Author {
  readonly name: string;
  readonly pictureUrl: string | undefined;
  readonly isVisitor: boolean;
}

/** -> the author's first name and picture, or those of the business where the site hides them or they are absent */
export const authorOf = (actor: MessengerActor, { texts, site, business }: Display): Author => {
  if (actor.type === "user") return { name: texts.you, pictureUrl: undefined, isVisitor: true };
  const firstName = site.isAgentNameHidden ? "" : visibleName(actor.first_name ?? "");
  return {
    name: firstName || business || texts.title(""),
    pictureUrl: site.isAgentPictureHidden ? site.appLogo : (actor.avatar_url ?? site.appLogo),
    isVisitor: false,
  };
};
