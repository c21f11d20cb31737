/** @jsxImportSource preact */
import { safeMedia } from "@parley/contract/display";
import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface AvatarProps {
  /** Its first letter is shown without a picture. */
  readonly name: string;
  readonly url?: string | undefined;
  readonly isLarge?: boolean;
}

const segmenter = typeof Intl.Segmenter === "function" ? new Intl.Segmenter() : undefined;
const firstLetter = (text: string): string => {
  const [first] = segmenter ? [...segmenter.segment(text)].map(({ segment }) => segment) : text;
  return (first ?? "").toUpperCase();
};

/** A picture of a person, a topic or the business. It is decoration: the name stands beside it. */
export const Avatar = ({ name, url, isLarge = false }: AvatarProps) => {
  const [failedUrl, setFailedUrl] = useState<string>();
  const address = url === undefined || url === failedUrl ? undefined : safeMedia(url, location.href);
  return (
    <span class={isLarge ? "avatar largeAvatar" : "avatar"} aria-hidden="true">
      {address !== undefined && <img src={address} alt="" onError={() => setFailedUrl(url)} />}
      {address === undefined && (firstLetter(name) || <Icon name="chat" />)}
    </span>
  );
};
