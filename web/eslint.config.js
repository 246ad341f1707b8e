import js from "@eslint/js";
import { defineConfig } from "eslint/config";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

export default defineConfig(
  { ignores: ["static/", "src/api/schema.d.ts", "test-results/", "pictures/"] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  reactHooks.configs.flat["recommended-latest"],
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      // A redirect of the router is thrown, and is no error.
      "@typescript-eslint/only-throw-error": "off",
      // The virtual list hands out functions that have to be called on each drawing.
      "react-hooks/incompatible-library": "off",
    },
  },
  // The compiler knows what there is in Node and in a browser.
  { files: ["**/*.{js,mjs}"], rules: { "no-undef": "off" } },
  {
    // Pages and components ask the hooks of src/api, which alone know the server, and take
    // their words from one place: listening to the language costs more than drawing a cell.
    files: ["src/pages/**", "src/components/**", "src/domain/**"],
    ignores: ["**/*.test.*"],
    rules: {
      "no-restricted-globals": ["error", { name: "fetch", message: "Ask a hook of src/api." }],
      "no-restricted-imports": ["error", { paths: [{ name: "openapi-fetch", message: "Ask a hook of src/api." }, { name: "react-i18next", message: "Use useWords." }] }],
    },
  },
);
