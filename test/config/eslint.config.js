// SPDX-License-Identifier: Apache-2.0
// The lint rules of TypeScript: typescript-eslint strict with types, and what the house adds.

import tseslint from "typescript-eslint";

import house from "./house-rules.js";

export default tseslint.config(
  { ignores: ["build/**", "node_modules/**", "runs/**"] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: "./test/tsconfig.json",
        tsconfigRootDir: new URL("../..", import.meta.url).pathname,
      },
    },
    rules: {
      eqeqeq: "error",
      "no-console": "error",
      "no-restricted-exports": ["error", { restrictDefaultExports: { direct: true } }],
      "preserve-caught-error": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/max-params": ["error", { max: 5 }],
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }],
      // A number or a boolean in a sentence needs no ceremony.
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
    },
  },
  {
    // Configuration files export what their tool asks for.
    files: ["test/config/*.{ts,js}"],
    rules: { "no-restricted-exports": "off" },
  },
  {
    files: ["src/**/*.ts"],
    plugins: { house },
    rules: {
      "house/layers": "error",
      "house/no-circle": "error",
      "house/no-folder-circle": "error",
      "house/no-index-default": "error",
    },
  },
  { files: ["src/cli/**/*.ts"], rules: { "no-console": "off" } },
  { files: ["**/*.js"], ...tseslint.configs.disableTypeChecked },
  // JavaScript has no types to state.
  { files: ["**/*.js"], rules: { "@typescript-eslint/explicit-module-boundary-types": "off" } },
);
