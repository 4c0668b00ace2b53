// SPDX-License-Identifier: Apache-2.0
// How the DIMMs of a machine are joined. DIMM-Link (Zhou et al., "DIMM-Link: Enabling Efficient Inter-DIMM
// Communication for Near-Memory Processing", HPCA 2023), which TriMoE adopts, joins the DIMMs on one side of the
// CPU by links between neighbours; packets to the other side go over the host, which reads and writes them through
// its memory channels. TriMoE prints the rate of a link and no topology.

/**
 * Links within a group. `chain`: each DIMM to the next (a half-ring). `ring`: also the last to the
 * first. `mesh`: two rows; each DIMM to the next of its row and to its neighbour in the other row.
 * `full`: each DIMM to every other DIMM, for which a DIMM of 288 pins has no space.
 */
export const linkTopologies = ["chain", "ring", "mesh", "full"] as const;
type LinkTopology = (typeof linkTopologies)[number];

export interface DimmLinks {
  readonly topology: LinkTopology;
  /** DIMMs on one side of the CPU, which links join; the host forwards between groups. */
  readonly group: number;
}

/** DIMMs of a host with eight channels. */
export const moeDimms = 16;

/** That of DIMM-Link: DIMMs on one side of the CPU in a line. */
export const publishedLinks: DimmLinks = { topology: "chain", group: moeDimms / 2 };

/** The problem of a group with a topology; null if the machine is possible. */
export function groupIssue({ topology, group }: DimmLinks): string | null {
  if (moeDimms % group !== 0) {
    return `${group} is no part of ${moeDimms} DIMMs: a group has 1, 2, 4, 8 or 16 of them.`;
  }
  if (topology === "mesh" && group % 2 !== 0) {
    return `a mesh has two rows, and a group of ${group} DIMMs has not.`;
  }
  return null;
}

/**
 * Links for the transfer of an expert: the topology, and the concurrent flows, each from one DIMM.
 */
export interface ExpertLinks extends DimmLinks {
  readonly links: number;
}

/** A scenario's choice of links. */
export interface LinkChoice {
  readonly links?: number | undefined;
  readonly linkTopology?: LinkTopology | undefined;
  readonly linkGroup?: number | undefined;
}

/** The DIMMs of a scenario; by default with the topology of DIMM-Link. */
export function dimmLinksOf({ linkTopology, linkGroup }: LinkChoice): DimmLinks {
  return {
    topology: linkTopology ?? publishedLinks.topology,
    group: linkGroup ?? publishedLinks.group,
  };
}

/** Such as "chains of 8 DIMMs", for titles. */
export function linksTitle({ topology, group }: DimmLinks): string {
  const plural = { chain: "chains", ring: "rings", mesh: "meshes", full: "full groups" } as const;
  return `${plural[topology]} of ${group} DIMMs`;
}
