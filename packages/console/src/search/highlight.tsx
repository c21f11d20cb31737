import type { SearchHighlight } from "@parley/contract";
import { visibleText } from "@parley/contract/display";
import styles from "./search.module.css";

/** A text in which the searched words are marked. */
export const Highlight = ({ pieces }: { readonly pieces: SearchHighlight }) => (
  <span className={styles.excerpt}>
    {pieces.map(({ text, is_match }, index) =>
      is_match === true ? (
        <mark key={index} className={styles.match}>
          {visibleText(text)}
        </mark>
      ) : (
        <span key={index}>{visibleText(text)}</span>
      ),
    )}
  </span>
);
