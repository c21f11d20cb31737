/** @jsxImportSource preact */
import type { MessagePart } from "@parley/contract";
import { safeMedia, visibleName } from "@parley/contract/display";
import { useState } from "preact/hooks";
import { useDisplay } from "../elements/display.ts";
import { Icon } from "../elements/icon.tsx";
import { Link } from "../elements/link.tsx";
import { UnsafeAddress } from "./unsafe-address.tsx";

type Part<K extends keyof MessagePart> = NonNullable<MessagePart[K]>;

export const VideoPart = ({ part, label }: { readonly part: Part<"video">; readonly label: string }) => {
  const { texts } = useDisplay();
  const [hasFailed, setFailed] = useState(false);
  const address = safeMedia(part.url, location.href);
  if (address === undefined) return <UnsafeAddress label={texts.video} address={part.url} />;
  if (hasFailed)
    return (
      <Link href={address} class="fileLink">
        <Icon name="external" /> {texts.videoNotShown}
      </Link>
    );
  return (
    // Without the stated type: some browsers play types that they don't know by name.
    <video
      class="video"
      src={address}
      controls
      playsInline
      preload="metadata"
      aria-label={label}
      onError={() => setFailed(true)}
    />
  );
};

export const FilePart = ({ part }: { readonly part: Part<"file"> }) => {
  const { texts, format } = useDisplay();
  const name = visibleName(part.name ?? "") || texts.file;
  const { url, file_size_in_bytes: bytes } = part;
  const address = url === undefined ? undefined : safeMedia(url, location.href);
  if (url !== undefined && address === undefined) return <UnsafeAddress label={name} address={url} />;
  const description = (
    <>
      <Icon name="file" />
      <span class="fileText">
        {address !== undefined && <span class="visuallyHidden">{texts.download} </span>}
        <bdi class="fileName">{name}</bdi>
        {bytes !== undefined && <span class="detail">{format.size(bytes)}</span>}
      </span>
    </>
  );
  if (address === undefined) return <span class="fileLink">{description}</span>;
  return (
    <Link href={address} fileName={name} class="fileLink">
      {description}
      <Icon name="download" />
    </Link>
  );
};
