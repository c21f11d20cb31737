import { Picture } from "../pictures/picture.tsx";
import type { PictureSource } from "../pictures/picture-source.ts";
import styles from "./avatar.module.css";
import { classes } from "./classes.ts";

interface AvatarProps {
  readonly name: string;
  readonly url?: string | undefined;
  /** The user or agent that has the picture. */
  readonly of?: PictureSource | undefined;
  readonly isSmall?: boolean;
}

const HUES = 6;
const hueOf = (name: string): number =>
  [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 997, 7) % HUES;
const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .map((word) => [...word][0] ?? "")
    .slice(0, 2)
    .join("")
    .toUpperCase();

/** A picture of a person, or the initials without one and when it can’t be loaded. The name stands beside it, so screen readers skip it. */
export const PersonAvatar = ({ name, url, of, isSmall = false }: AvatarProps) => (
  <span className={classes(styles.avatar, isSmall && styles.small)} data-hue={hueOf(name)} aria-hidden>
    <span className={styles.initials} data-initials={initialsOf(name) || "?"} />
    {url !== undefined && <Picture src={url} source={of} alt="" className={styles.image} />}
  </span>
);
