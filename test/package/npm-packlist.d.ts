// SPDX-License-Identifier: Apache-2.0
declare module "npm-packlist" {
  interface Tree {
    readonly path: string;
    readonly package: object;
    readonly isProjectRoot: boolean;
    /** Bundled dependencies of the package: none. */
    readonly edgesOut: ReadonlyMap<string, never>;
  }
  /** Paths of the files that npm packs, relative to the package's folder. */
  // eslint-disable-next-line no-restricted-exports -- as the package does
  export default function packlist(tree: Tree): Promise<string[]>;
}
