import { useState, type ComponentProps, type ReactNode } from "react";

/** Whether the content of an address could not be loaded. Another address is tried anew. */
export const useLoadFailure = (address: string | undefined) => {
  const [failed, setFailed] = useState<string>();
  return { hasFailed: failed !== undefined && failed === address, onError: () => setFailed(address) };
};

interface PictureProps extends Omit<ComponentProps<"img">, "src" | "alt" | "onError" | "referrerPolicy"> {
  readonly src: string;
  /** Empty if the picture adds nothing to the text beside it. */
  readonly alt: string;
  /** Takes the place of a picture that can't be loaded; nothing when absent. */
  readonly fallback?: ReactNode;
  readonly onFailure?: () => void;
}

/** Every picture of the console. It is loaded when it comes into view, and its host does not learn the page's address. */
export const Picture = ({ src, alt, fallback, onFailure, ...attributes }: PictureProps) => {
  const { hasFailed, onError } = useLoadFailure(src);
  if (hasFailed) return fallback;
  return (
    <img
      loading="lazy"
      {...attributes}
      src={src}
      alt={alt}
      referrerPolicy="no-referrer"
      onError={() => {
        onError();
        onFailure?.();
      }}
    />
  );
};
