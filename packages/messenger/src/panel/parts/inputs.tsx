/** @jsxImportSource preact */
import { safeLink, visibleName } from "@parley/contract/display";
import { useId, useRef, useState } from "preact/hooks";
import { useDisplay } from "../elements/display.ts";
import { Icon } from "../elements/icon.tsx";
import { Link } from "../elements/link.tsx";
import type { Answer } from "./choices.tsx";
import { inputAttributes } from "./readable-text.ts";
import { TextPart } from "./text-part.tsx";
import { UnsafeAddress } from "./unsafe-address.tsx";

/** Parts of imported conversations whose attributes are not specified: each attribute is taken as a text of unknown origin. */

interface InputProps {
  /** The attributes, unchecked. */
  readonly content: unknown;
  readonly answer: Answer;
}

const TEXT_CHARACTERS_MAX = 4_000;

/** Asks for a file. The chosen files answer the message. */
export const AttachmentInput = ({ content, answer }: InputProps) => {
  const { texts } = useDisplay();
  const id = useId();
  const chooser = useRef<HTMLInputElement>(null);
  const { title, text } = inputAttributes(content);
  return (
    <div class="inputPart">
      <div id={id}>
        <TextPart content={[title, text].filter((each) => each !== "").join("\n") || texts.attachmentInput} />
      </div>
      {answer && (
        <>
          <input
            ref={chooser}
            type="file"
            multiple
            hidden
            onChange={({ currentTarget }) => {
              if (currentTarget.files && currentTarget.files.length > 0) answer.files([...currentTarget.files]);
              currentTarget.value = "";
            }}
          />
          <button type="button" class="choice" aria-describedby={id} onClick={() => chooser.current?.click()}>
            <Icon name="attach" /> {texts.chooseFile}
          </button>
        </>
      )}
    </div>
  );
};

/** Asks for a text, in a field of its own. */
export const TextInput = ({ content, answer }: InputProps) => {
  const { texts } = useDisplay();
  const id = useId();
  const [value, setValue] = useState("");
  const { title, text } = inputAttributes(content);
  const label = title || text || texts.textInput;
  return (
    <form
      class="inputPart"
      onSubmit={(event) => {
        event.preventDefault();
        if (value.trim() !== "") answer?.text(value);
      }}
    >
      {answer ? (
        <label for={id} dir="auto">
          {label}
        </label>
      ) : (
        <TextPart content={label} />
      )}
      {title !== "" && text !== "" && <TextPart content={text} />}
      {answer && (
        <div class="fieldRow">
          <input
            id={id}
            class="field"
            dir="auto"
            autoComplete="off"
            enterkeyhint="send"
            maxLength={TEXT_CHARACTERS_MAX}
            value={value}
            onInput={({ currentTarget }) => setValue(currentTarget.value)}
          />
          <button type="submit" class="primary" disabled={value.trim() === ""}>
            {texts.sendAnswer}
          </button>
        </div>
      )}
    </form>
  );
};

/** Refers to something to read, with a link if an attribute has a safe address. */
export const Reference = ({ content }: { readonly content: unknown }) => {
  const { texts } = useDisplay();
  const { title, text, address } = inputAttributes(content);
  const name = title || text || texts.reference;
  const href = address === undefined ? undefined : safeLink(address);
  const isWeb = href !== undefined && /^https?:/.test(href);
  return (
    <div class="inputPart">
      {isWeb ? (
        <Link href={href} class="referenceLink">
          <bdi>{visibleName(name)}</bdi> <Icon name="external" />
        </Link>
      ) : (
        <strong dir="auto">{name}</strong>
      )}
      {title !== "" && text !== "" && <TextPart content={text} />}
      {address !== undefined && !isWeb && <UnsafeAddress label={texts.reference} address={address} />}
    </div>
  );
};
