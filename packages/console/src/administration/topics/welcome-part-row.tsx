import type { MessagePart } from "@parley/contract";
import type { ReactNode } from "react";
import { Parts } from "../../thread/parts/part-view.tsx";
import { IconButton } from "../../ui/button.tsx";
import field from "../../ui/field.module.css";
import { TextField } from "../../ui/text-field.tsx";
import { OrderButtons } from "../order-buttons.tsx";
import styles from "./topics.module.css";
import { welcomeMessages as texts } from "./welcome-messages.ts";
import { kindOf, type PartKind } from "./welcome-parts.ts";

interface PartFieldsProps {
  readonly name: string;
  readonly part: MessagePart;
  readonly problem: string | undefined;
  readonly onChange: (part: MessagePart) => void;
}

interface AddressFieldProps extends Pick<PartFieldsProps, "name" | "problem"> {
  readonly value: string;
  readonly onChange: (address: string) => void;
}

const AddressField = ({ name, value, problem, onChange }: AddressFieldProps) => (
  <TextField label={texts.address(name)} value={value} onChange={onChange} inputMode="url" error={problem} />
);

const TextFields = ({ name, part: { text }, problem, onChange }: PartFieldsProps) => (
  <TextField
    label={name}
    {...(name === texts.welcome && { help: texts.welcomeHelp })}
    lines={3}
    value={text?.content ?? ""}
    onChange={(content) => onChange({ text: { content } })}
    error={problem}
  />
);

const ImageFields = ({ name, part: { image }, problem, onChange }: PartFieldsProps) => (
  <AddressField
    name={name}
    value={image?.url ?? ""}
    problem={problem}
    onChange={(url) => onChange({ image: { url } })}
  />
);

const VideoFields = ({ name, part: { video }, problem, onChange }: PartFieldsProps) => (
  <AddressField
    name={name}
    value={video?.url ?? ""}
    problem={problem}
    // Another video can have another type.
    onChange={(url) => onChange({ video: { url } })}
  />
);

const FileFields = ({ name, part: { file }, problem, onChange }: PartFieldsProps) => (
  <div className={styles.pair}>
    <TextField
      label={texts.fileName(name)}
      value={file?.name ?? ""}
      onChange={(next) => onChange({ file: { ...file, name: next } })}
    />
    <AddressField
      name={name}
      value={file?.url ?? ""}
      problem={problem}
      // Another file has another size and type.
      onChange={(url) => onChange({ file: { ...(file?.name !== undefined && { name: file.name }), url } })}
    />
  </div>
);

const ButtonFields = ({ name, part: { url_button: button }, problem, onChange }: PartFieldsProps) => {
  const present = button ?? { label: "", url: "" };
  return (
    <div className={styles.pair}>
      <TextField
        label={texts.label(name)}
        value={present.label}
        onChange={(label) => onChange({ url_button: { ...present, label } })}
      />
      <AddressField
        name={name}
        value={present.url}
        problem={problem}
        onChange={(url) => onChange({ url_button: { ...present, url } })}
      />
    </div>
  );
};

const OtherPart = ({ name, part }: PartFieldsProps) => (
  <div role="group" aria-label={name} className={styles.otherPart}>
    <span className={field.label}>{name}</span>
    <Parts parts={[part]} author={name} />
    <span className={field.help}>{texts.otherHelp}</span>
  </div>
);

const FIELDS: Readonly<Record<PartKind, (props: PartFieldsProps) => ReactNode>> = {
  text: TextFields,
  image: ImageFields,
  video: VideoFields,
  file: FileFields,
  url_button: ButtonFields,
  other: OtherPart,
};

interface WelcomePartRowProps extends PartFieldsProps {
  readonly index: number;
  readonly count: number;
  readonly onMove: (to: number) => void;
  readonly onRemove: () => void;
}

/** The fields of one part of a welcome message, and buttons that move and remove it. */
export const WelcomePartRow = ({ index, count, onMove, onRemove, ...props }: WelcomePartRowProps) => {
  const Fields = FIELDS[kindOf(props.part)];
  return (
    <li className={styles.part}>
      <div className={styles.partFields}>
        <Fields {...props} />
      </div>
      {count > 1 && (
        <span className={styles.partTools}>
          <OrderButtons name={props.name} index={index} count={count} onMove={onMove} />
          <IconButton icon="trash" label={texts.remove(props.name)} onPress={onRemove} />
        </span>
      )}
    </li>
  );
};
