/** @jsxImportSource preact */
import { linkPieces, visibleText } from "@parley/contract/display";
import { useMemo } from "preact/hooks";
import { Link } from "../elements/link.tsx";

/** A text with its links. Each paragraph has the direction of its own first letter. */
export const TextPart = ({ content }: { readonly content: string }) => {
  const pieces = useMemo(() => linkPieces(visibleText(content)), [content]);
  return (
    <div class="text" dir="auto">
      {pieces.map(({ text, href }) => (href === undefined ? text : <Link href={href}>{text}</Link>))}
    </div>
  );
};
