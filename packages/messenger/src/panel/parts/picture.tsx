/** @jsxImportSource preact */
import { safeMedia } from "@parley/contract/display";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useDisplay } from "../elements/display.ts";
import { IconButton } from "../elements/icon-button.tsx";
import { Icon } from "../elements/icon.tsx";
import { Link } from "../elements/link.tsx";
import { UnsafeAddress } from "./unsafe-address.tsx";

interface LargePictureProps {
  readonly address: string;
  readonly alt: string;
  readonly onClose: () => void;
}

/** A picture over the whole panel. The Escape key, the button and a click beside the picture close it. */
const LargePicture = ({ address, alt, onClose }: LargePictureProps) => {
  const { texts } = useDisplay();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="largePicture"
      aria-label={alt}
      onClose={onClose}
      onClick={({ target, currentTarget }) => target === currentTarget && currentTarget.close()}
    >
      <div class="largePictureBar">
        <Link href={address} class="plainLink">
          {texts.openOriginal} <Icon name="external" />
        </Link>
        <IconButton icon="close" label={texts.closePicture} onClick={() => dialog.current?.close()} />
      </div>
      <img src={address} alt={alt} />
    </dialog>
  );
};

interface PicturePartProps {
  readonly url: string;
  readonly alt: string;
}

/** A picture in a box of a fixed size, so that the messages don't move when it is loaded. A press shows it large. */
export const PicturePart = ({ url, alt }: PicturePartProps) => {
  const { texts } = useDisplay();
  const [isLarge, setLarge] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  const [isSmall, setSmall] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const address = safeMedia(url, location.href);
  if (address === undefined) return <UnsafeAddress label={texts.picture} address={url} />;
  if (hasFailed)
    return (
      <Link href={address} class="fileLink">
        <Icon name="external" /> {texts.pictureNotShown}
      </Link>
    );
  const noteSize = ({ currentTarget: image }: { readonly currentTarget: HTMLImageElement }) =>
    setSmall(image.naturalWidth < image.clientWidth && image.naturalHeight < image.clientHeight);
  const close = () => {
    setLarge(false);
    opener.current?.focus();
  };
  return (
    <>
      <button
        type="button"
        ref={opener}
        class={isSmall ? "picture smallPicture" : "picture"}
        aria-label={texts.enlarge(alt)}
        onClick={() => setLarge(true)}
      >
        <img src={address} alt="" decoding="async" onLoad={noteSize} onError={() => setFailed(true)} />
      </button>
      {isLarge && <LargePicture address={address} alt={alt} onClose={close} />}
    </>
  );
};
