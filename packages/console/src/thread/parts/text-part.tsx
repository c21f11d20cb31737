import { linkPieces, visibleText } from "@parley/contract/display";
import { useMemo, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { partMessages as texts } from "./messages.ts";
import styles from "./parts.module.css";

/** Longer texts are folded. */
const FOLDED = { characters: 2_400, lines: 24 };

const foldedLength = (text: string): number => {
  let end = -1;
  for (let line = 0; line < FOLDED.lines; line += 1) {
    end = text.indexOf("\n", end + 1);
    if (end === -1) break;
  }
  return Math.min(
    end === -1 ? text.length : end,
    text.length > 1.3 * FOLDED.characters ? FOLDED.characters : text.length,
  );
};

/** A text with its links. */
const LinkedText = ({ text }: { readonly text: string }) => {
  const pieces = useMemo(() => linkPieces(text), [text]);
  return pieces.map(({ text: piece, href }, index) =>
    href === undefined ? (
      piece
    ) : (
      <a key={index} href={href} target="_blank" rel="noopener noreferrer">
        {piece}
      </a>
    ),
  );
};

export const TextPart = ({ content: written }: { readonly content: string }) => {
  const content = useMemo(() => visibleText(written), [written]);
  const [isOpen, setOpen] = useState(false);
  const length = foldedLength(content);
  const isLong = length < content.length;
  return (
    <div className={styles.text}>
      <LinkedText text={isLong && !isOpen ? `${content.slice(0, length)}…` : content} />
      {isLong && (
        <div className={styles.fold}>
          <Button isSmall variant="quiet" aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
            {isOpen ? texts.showLess : texts.showMore}
          </Button>
        </div>
      )}
    </div>
  );
};
