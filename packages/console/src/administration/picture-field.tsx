import { useRef, useState } from "react";
import { client } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { ownAddress } from "../pictures/own-address.ts";
import { Picture } from "../pictures/picture.tsx";
import { TextField } from "../ui/text-field.tsx";
import { showError } from "../ui/toast-store.ts";
import styles from "./administration.module.css";
import { administrationMessages as texts } from "./messages.ts";

interface PictureFieldProps {
  readonly label: string;
  readonly help: string;
  /** Address of the picture; empty without a picture. */
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (address: string) => void;
}

/** The address of a picture, or a picture to upload. */
export const PictureField = ({ label, help, value, error, onChange }: PictureFieldProps) => {
  const input = useRef<HTMLInputElement>(null);
  const [isUploading, setUploading] = useState(false);
  const upload = async (file: File): Promise<void> => {
    setUploading(true);
    try {
      const picture = { name: file.name, content_type: file.type, content: file };
      onChange((await client.images.uploadImage({ upload: picture })).url);
    } catch (refusal) {
      showError(refusal);
    } finally {
      setUploading(false);
    }
  };
  // One of another host is shown once it is stored.
  const shown = ownAddress(value, location.href);
  return (
    <div className={styles.pictureField}>
      {shown !== undefined && (
        <Picture
          className={styles.picture}
          src={shown}
          source={undefined}
          alt=""
          fallback={<Icon name="image" label={texts.pictureNotShown} />}
        />
      )}
      <TextField label={label} help={help} value={value} onChange={onChange} error={error} />
      <input
        ref={input}
        type="file"
        accept="image/*"
        hidden
        aria-label={texts.uploadPicture}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          currentTarget.value = "";
          if (file) void upload(file);
        }}
      />
      <Button isSmall icon="image" isDisabled={isUploading} onPress={() => input.current?.click()}>
        {texts.uploadPicture}
      </Button>
    </div>
  );
};
