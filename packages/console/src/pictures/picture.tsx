import { useQuery } from "@tanstack/react-query";
import { useRef, useState, type ComponentProps, type ReactNode } from "react";
import { useEffect } from "../state/effects.ts";
import { ownAddress } from "./own-address.ts";
import { loadPicture, type PictureSource } from "./picture-source.ts";

/** Whether the content of an address could not be loaded. Another address is tried anew. */
export const useLoadFailure = (address: string | undefined) => {
  const [failed, setFailed] = useState<string>();
  return { hasFailed: failed !== undefined && failed === address, onError: () => setFailed(address) };
};

interface PictureProps extends Omit<ComponentProps<"img">, "src" | "alt" | "onError" | "ref"> {
  readonly src: string;
  /** The object that contains the address. Without one only uploads are shown. */
  readonly source: PictureSource | undefined;
  /** Empty if the picture adds nothing to the text beside it. */
  readonly alt: string;
  /** Takes the place of a picture that can't be loaded; nothing when absent. */
  readonly fallback?: ReactNode;
  readonly onFailure?: () => void;
}

type ShownProps = Omit<PictureProps, "source">;

const OwnPicture = ({ src, alt, fallback, onFailure, ...attributes }: ShownProps) => {
  const { hasFailed, onError } = useLoadFailure(src);
  if (hasFailed) return fallback;
  return (
    <img
      loading="lazy"
      {...attributes}
      src={src}
      alt={alt}
      onError={() => {
        onError();
        onFailure?.();
      }}
    />
  );
};

/** An address of the page's own for a loaded picture, until the component is gone. */
const useBlobAddress = (blob: Blob | undefined): string | undefined => {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (blob === undefined) return undefined;
    const made = URL.createObjectURL(blob);
    setAddress(made);
    return () => {
      setAddress(undefined);
      URL.revokeObjectURL(made);
    };
  }, [blob]);
  return address;
};

/** Whether an element has come into view. */
const useWasVisible = () => {
  const [wasVisible, setVisible] = useState(false);
  const element = useRef<HTMLImageElement>(null);
  useEffect(() => {
    if (wasVisible || !element.current) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setVisible(true);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [wasVisible]);
  return { element, wasVisible };
};

const ForeignPicture = ({
  src,
  source,
  alt,
  fallback,
  onFailure,
  ...attributes
}: ShownProps & { readonly source: PictureSource | undefined }) => {
  const { element, wasVisible } = useWasVisible();
  const { data, isError } = useQuery({
    queryKey: ["picture", source, src],
    queryFn: ({ signal }) =>
      source === undefined ? Promise.reject(new Error("The address is not stored.")) : loadPicture(source, src, signal),
    enabled: wasVisible,
  });
  const address = useBlobAddress(data);
  const { hasFailed, onError } = useLoadFailure(address);
  const isUnshown = isError || hasFailed;
  useEffect(() => {
    if (isUnshown) onFailure?.();
    return undefined;
  }, [isUnshown, onFailure]);
  if (isUnshown) return fallback;
  return <img {...attributes} ref={element} src={address} alt={alt} onError={onError} />;
};

/**
 * Every picture of the console. It is loaded when it comes into view: an upload by the browser, any other one by the service, so that the hosts
 * that customers name learn neither the agent's address nor that it was seen.
 */
export const Picture = ({ source, ...shown }: PictureProps) => {
  const own = ownAddress(shown.src, location.href);
  return own === undefined ? (
    <ForeignPicture key={shown.src} {...shown} source={source} />
  ) : (
    <OwnPicture {...shown} src={own} />
  );
};
