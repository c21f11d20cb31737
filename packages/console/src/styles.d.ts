/** Class names of a stylesheet by their names in it. */
declare module "*.module.css" {
  const names: Readonly<Record<string, string>>;
  export default names;
}
declare module "*.css";
