/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useDisplay } from "./display.ts";

interface LinkProps {
  /** A safe address: see safeLink and safeMedia. */
  readonly href: string;
  /** Name of the file that the link downloads. */
  readonly fileName?: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A link that opens in a new tab, which can't reach the panel, and that the site's page is told of. */
export const Link = ({ href, fileName, class: name, children }: LinkProps) => {
  const { actions } = useDisplay();
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      class={name}
      download={fileName}
      onClick={() => actions.followed(fileName === undefined ? { url: href } : { url: href, fileName })}
    >
      {children}
    </a>
  );
};
