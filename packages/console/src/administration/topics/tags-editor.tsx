import { Button, IconButton } from "../../ui/button.tsx";
import { FieldGroup } from "../../ui/field-group.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { topicMessages as texts } from "./messages.ts";
import { tagsOf, type TopicValues } from "./topic-form.ts";
import styles from "./topics.module.css";

type Tags = Pick<TopicValues, "tags" | "newTag">;

interface TagsEditorProps extends Tags {
  readonly error: string | undefined;
  readonly onChange: (next: Partial<Tags>) => void;
}

/** The tags of a topic. */
export const TagsEditor = ({ tags, newTag, error, onChange }: TagsEditorProps) => {
  const add = (): void => onChange({ tags: tagsOf({ tags, newTag }), newTag: "" });
  return (
    <FieldGroup label={texts.tags} help={texts.tagsHelp}>
      {tags.length > 0 && (
        <ul className={styles.tags}>
          {tags.map((tag) => (
            <li key={tag}>
              {tag}
              <IconButton
                isSmall
                icon="close"
                label={texts.removeTag(tag)}
                onPress={() => onChange({ tags: tags.filter((each) => each !== tag) })}
              />
            </li>
          ))}
        </ul>
      )}
      <div className={styles.newTag}>
        <TextField
          label={texts.newTag}
          value={newTag}
          onChange={(next) => onChange({ newTag: next })}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || newTag.trim() === "") return;
            event.preventDefault();
            add();
          }}
          error={error}
        />
        <Button isDisabled={newTag.trim() === ""} onPress={add}>
          {texts.addTag}
        </Button>
      </div>
    </FieldGroup>
  );
};
