/**
 * Runs a component of an automation service with the bindings of its platform. Arguments: the component's URL, its props. Prints a line of
 * JSON: {result, emitted}.
 */
const [address, props] = process.argv.slice(2);
const { default: component } = await import(address);
const { default: app } = await import(new URL("../../freshchat.app.mjs", address).href);

const account = { $auth: { chat_url: process.env.CHAT_URL, api_key: process.env.API_KEY } };
for (const [name, method] of Object.entries(app.methods)) account[name] = method.bind(account);
const values = new Map();
const emitted = [];
const bound = {
  ...JSON.parse(props),
  app: account,
  freshchat: account,
  db: { get: (key) => values.get(key), set: (key, value) => values.set(key, value) },
  $emit: (event) => emitted.push(event),
};
for (const [name, method] of Object.entries(component.methods ?? {})) bound[name] = method.bind(bound);
const steps = { export: () => undefined };
const result = await component.run.call(bound, { $: steps });
console.log(JSON.stringify({ result, emitted }));
