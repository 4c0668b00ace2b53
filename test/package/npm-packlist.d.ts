// SPDX-License-Identifier: Apache-2.0
declare module "npm-packlist" {
  interface Tree {
    readonly path: string;
    readonly package: object;
    readonly isProjectRoot: boolean;
    /** Of dependencies that the package brings along: none. */
    readonly edgesOut: ReadonlyMap<string, never>;
  }
  /** Paths of files that npm packs, from the package's own folder. */
  // eslint-disable-next-line no-restricted-exports -- as the package does
  export default function packlist(tree: Tree): Promise<string[]>;
}
