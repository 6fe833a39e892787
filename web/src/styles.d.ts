declare module "*.css";
declare module "markdown-it-footnote" {
  const plugin: (markdown: import("markdown-it").default) => void;
  export default plugin;
}
