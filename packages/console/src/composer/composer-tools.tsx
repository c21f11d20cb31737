import type { ReplyTemplate } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useRef, useState } from "react";
import { DialogTrigger, Popover } from "react-aria-components";
import { templatesQuery } from "../templates/templates-query.ts";
import { IconButton } from "../ui/button.tsx";
import { ChoicePopover } from "../ui/choice-popover.tsx";
import popup from "../ui/popup.module.css";
import { Spinner } from "../ui/spinner.tsx";
import { composerMessages as texts } from "./messages.ts";

const EmojiPicker = lazy(() => import("./emoji-picker.tsx"));

interface ComposerToolsProps {
  readonly isDisabled: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly onEmoji: (emoji: string) => void;
  readonly onTemplate: (template: ReplyTemplate) => void;
}

const AttachButton = ({ isDisabled, onFiles }: Pick<ComposerToolsProps, "isDisabled" | "onFiles">) => {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          // The same file can be chosen again.
          currentTarget.value = "";
        }}
      />
      <IconButton icon="attach" label={texts.attach} isDisabled={isDisabled} onPress={() => input.current?.click()} />
    </>
  );
};

const EmojiButton = ({ isDisabled, onEmoji }: Pick<ComposerToolsProps, "isDisabled" | "onEmoji">) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <IconButton icon="emoji" label={texts.emoji} isDisabled={isDisabled} />
      <Popover aria-label={texts.emoji} className={popup.popover ?? ""} offset={4} placement="top start">
        <div className={popup.dialog}>
          <Suspense fallback={<Spinner />}>
            <EmojiPicker
              onChoose={(emoji) => {
                setOpen(false);
                onEmoji(emoji);
              }}
            />
          </Suspense>
        </div>
      </Popover>
    </DialogTrigger>
  );
};

const TemplateButton = ({ isDisabled, onTemplate }: Pick<ComposerToolsProps, "isDisabled" | "onTemplate">) => {
  const [isOpen, setOpen] = useState(false);
  const { data: templates = [], isPending } = useQuery({ ...templatesQuery, enabled: isOpen });
  return (
    <ChoicePopover
      label={texts.findTemplate}
      choices={templates.map(({ id, name, shortcut, text }) => ({
        id,
        label: name,
        description: text,
        ...(shortcut !== undefined && { detail: `/${shortcut}` }),
      }))}
      empty={isPending ? "" : texts.noTemplates}
      isOpen={isOpen}
      onOpenChange={setOpen}
      onChoose={(chosen) => templates.filter(({ id }) => id === chosen).forEach(onTemplate)}
      footer={<Link to="/templates">{texts.manageTemplates}</Link>}
    >
      <IconButton icon="template" label={texts.templates} isDisabled={isDisabled} />
    </ChoicePopover>
  );
};

/** Buttons that add something to the message. */
export const ComposerTools = ({ isDisabled, onFiles, onEmoji, onTemplate }: ComposerToolsProps) => (
  <>
    <AttachButton isDisabled={isDisabled} onFiles={onFiles} />
    <EmojiButton isDisabled={isDisabled} onEmoji={onEmoji} />
    <TemplateButton isDisabled={isDisabled} onTemplate={onTemplate} />
  </>
);
