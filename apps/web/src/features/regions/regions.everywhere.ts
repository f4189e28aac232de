import type { RegionNode } from '@voltkeep/contract/regions'

/** `all` stands for every region: no device lies in it, and nobody changes it. */
export const isEverywhere = ({ value }: RegionNode) => value === 'all'
