import type { MessagePart } from "@parley/contract";
import { safeMedia } from "@parley/contract/display";
import { lazy, Suspense, useState } from "react";
import { Button as AriaButton } from "react-aria-components";
import { formatSize } from "../../i18n/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { foreignHost, ownAddress } from "../../pictures/own-address.ts";
import { useLoadFailure } from "../../pictures/picture.tsx";
import { partMessages as texts } from "./messages.ts";
import { PartPicture } from "./part-picture.tsx";
import styles from "./parts.module.css";
import { UnshownMedia, UnshownPicture } from "./unshown-media.tsx";

const Lightbox = lazy(() => import("./lightbox.tsx"));

type Part<K extends keyof MessagePart> = NonNullable<MessagePart[K]>;

const Refused = ({ what, address }: { readonly what: string; readonly address: string | undefined }) => (
  <p className={styles.box}>
    <Icon name="warning" />
    <span>
      {what}: {texts.unsafe} {address}
    </span>
  </p>
);

/** A picture; a press shows it large. */
export const ImagePart = ({ part, author }: { readonly part: Part<"image">; readonly author: string }) => {
  const [isLarge, setLarge] = useState(false);
  const address = safeMedia(part.url, location.href);
  const { hasFailed, onError } = useLoadFailure(address);
  if (address === undefined) return <Refused what={texts.picture} address={part.url} />;
  if (hasFailed) return <UnshownPicture address={address} />;
  const alt = texts.imageFrom(author);
  return (
    <>
      <AriaButton className={styles.imageButton ?? ""} aria-label={texts.enlarge(alt)} onPress={() => setLarge(true)}>
        <PartPicture src={address} alt={alt} decoding="async" className={styles.image} onFailure={onError} />
      </AriaButton>
      {isLarge && (
        <Suspense>
          <Lightbox address={address} alt={alt} onClose={() => setLarge(false)} />
        </Suspense>
      )}
    </>
  );
};

export const VideoPart = ({ part, author }: { readonly part: Part<"video">; readonly author: string }) => {
  const address = safeMedia(part.url, location.href);
  const own = ownAddress(part.url, location.href);
  const { hasFailed, onError } = useLoadFailure(own);
  if (address === undefined) return <Refused what={texts.video} address={part.url} />;
  // The browser would send requests to a host that somebody else chose.
  if (own === undefined) return <UnshownMedia icon="video" text={texts.videoElsewhere} address={address} />;
  if (hasFailed) return <UnshownMedia icon="video" text={texts.videoNotShown} address={address} />;
  return (
    // Without the stated type: some browsers play types that they don't know by name.
    <video
      src={own}
      controls
      playsInline
      preload="metadata"
      className={styles.video}
      aria-label={texts.videoFrom(author)}
      onError={onError}
    />
  );
};

export const FilePart = ({ part }: { readonly part: Part<"file"> }) => {
  const { name = texts.file, url, file_size_in_bytes: size, content_type: type } = part;
  const address = url === undefined ? undefined : safeMedia(url, location.href);
  if (url !== undefined && address === undefined) return <Refused what={name} address={url} />;
  const own = url === undefined ? undefined : ownAddress(url, location.href);
  const host = url === undefined ? undefined : foreignHost(url, location.href);
  const details = [host, type, size === undefined ? undefined : formatSize(size)].filter(Boolean).join(", ");
  return (
    <div className={styles.file}>
      <Icon name="file" />
      <span className={styles.fileText}>
        <span className={styles.fileName}>{name}</span>
        {details !== "" && <span className={styles.detail}>{details}</span>}
      </span>
      {address !== undefined && (
        <a
          className={styles.download}
          href={own ?? address}
          download={name}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={host === undefined ? texts.downloadOf(name) : texts.downloadFrom(name, host)}
        >
          <Icon name="download" />
        </a>
      )}
    </div>
  );
};
