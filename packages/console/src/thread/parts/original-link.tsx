import type { ReactNode } from "react";
import { foreignHost, ownAddress } from "../../pictures/own-address.ts";
import { partMessages as texts } from "./messages.ts";

interface OriginalLinkProps {
  readonly address: string;
  readonly className?: string | undefined;
  /** Precedes the label. */
  readonly children?: ReactNode;
}

/** Opens a picture or a video in a new tab. The host is named, unless it is this service. */
export const OriginalLink = ({ address, className, children }: OriginalLinkProps) => {
  const host = foreignHost(address, location.href);
  return (
    <a
      href={ownAddress(address, location.href) ?? address}
      target="_blank"
      rel="noopener noreferrer"
      className={className}
    >
      {children}
      {host === undefined ? texts.openOriginal : texts.openOriginalAt(host)}
    </a>
  );
};
