/** JSON Schema, as editors read it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A schema of the contract as plain JSON. */
export const plain = (schema: object): JsonSchema => JSON.parse(JSON.stringify(schema)) as JsonSchema;

export const propertiesOf = ({ properties = {} }: JsonSchema) => properties as Readonly<Record<string, JsonSchema>>;

/** The same object schema with a sentence for each property that has one. @errors Error for a property that isn't there */
export const described = (schema: JsonSchema, sentences: Readonly<Record<string, string>>): JsonSchema => {
  const properties = propertiesOf(schema);
  const strange = Object.keys(sentences).filter((name) => !Object.hasOwn(properties, name));
  if (strange.length > 0) throw new Error(`no such property: ${strange.join(", ")}`);
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        sentences[name] ? { ...property, description: sentences[name] } : property,
      ]),
    ),
  };
};

/** The schema of a file, which may name its schema in turn. */
export const fileSchema = (title: string, schema: JsonSchema): JsonSchema => ({
  $schema: "http://json-schema.org/draft-07/schema#",
  ...schema,
  title,
  properties: {
    $schema: { type: "string", description: "For the editor; it never goes into a package." },
    ...propertiesOf(schema),
  },
});
